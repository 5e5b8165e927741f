#include "storage/pg_alert_store.hpp"

#include "storage/alert_sql.hpp"
#include "storage/uuid.hpp"

#include <utility>

namespace receiptd::storage {

PgAlertStore::PgAlertStore(SessionContext& sessions)
    : sessions_(sessions),
      owner_(random_uuid()),
      queue_(sessions),
      causes_(sessions),
      chores_(sessions),
      findings_(sessions, WaitedFor::by_people),
      stream_(sessions) {}

PgAlertStore::~PgAlertStore() { sessions_.stop.request(); }

base::Task<void> PgAlertStore::prepare() { return chores_.run(sql::settle_restored_events); }

base::Task<std::chrono::milliseconds> PgAlertStore::stream_held_up() {
    return stream_.run(sql::stream_held_up);
}

base::Task<void> PgAlertStore::serve_endpoints(std::vector<std::string> names, Serving serving) {
    return chores_.run([names = std::move(names), serving](pqxx::connection& connection) {
        sql::serve_endpoints(connection, names, serving);
    });
}

base::Task<std::vector<DueDelivery>> PgAlertStore::claim_deliveries(std::vector<EndpointRoom> rooms,
                                                                    std::chrono::seconds lease) {
    return queue_.run([this, rooms = std::move(rooms), lease](pqxx::connection& connection) {
        return sql::claim_deliveries(connection, rooms, lease, owner_);
    });
}

base::Task<std::map<std::string, StoredCause>> PgAlertStore::causes(std::vector<DueDelivery> deliveries) {
    return causes_.run([deliveries = std::move(deliveries)](pqxx::connection& connection) {
        return sql::causes(connection, deliveries);
    });
}

base::Task<std::map<std::string, std::string>> PgAlertStore::keep_payloads(
    std::map<std::string, std::string> payloads) {
    return queue_.run([payloads = std::move(payloads)](pqxx::connection& connection) {
        return sql::keep_payloads(connection, payloads);
    });
}

base::Task<void> PgAlertStore::record_delivery(DeliveryOutcome outcome) {
    return queue_.run([this, outcome = std::move(outcome)](pqxx::connection& connection) {
        sql::record_delivery(connection, outcome, owner_);
    });
}

base::Task<std::vector<DeliveryRow>> PgAlertStore::list_deliveries(DeliveryFilter filter) {
    return chores_.run([filter = std::move(filter)](pqxx::connection& connection) {
        return sql::list_deliveries(connection, filter);
    });
}

base::Task<std::uint64_t> PgAlertStore::resend(DeliveryFilter filter) {
    return chores_.run([filter = std::move(filter)](pqxx::connection& connection) {
        return sql::resend(connection, filter);
    });
}

base::Task<std::optional<std::chrono::milliseconds>> PgAlertStore::next_delivery_in(
    std::vector<std::string> endpoints) {
    return queue_.run([endpoints = std::move(endpoints)](pqxx::connection& connection) {
        return sql::next_delivery_in(connection, endpoints);
    });
}

base::Task<std::vector<DeliveryBacklog>> PgAlertStore::delivery_backlog() {
    return chores_.run(sql::delivery_backlog);
}

base::Task<std::vector<FindingRow>> PgAlertStore::list_findings(FindingFilter filter) {
    return findings_.run([filter = std::move(filter)](pqxx::connection& connection) {
        return sql::list_findings(connection, filter);
    });
}

base::Task<std::vector<StreamEvent>> PgAlertStore::stream_events(std::int64_t after, unsigned limit) {
    return stream_.run([after, limit](pqxx::connection& connection) {
        return sql::stream_events(connection, after, limit);
    });
}

base::Task<std::int64_t> PgAlertStore::last_stream_event() { return stream_.run(sql::last_stream_event); }

base::Task<std::int64_t> PgAlertStore::highest_stream_id() { return stream_.run(sql::highest_stream_id); }

}  // namespace receiptd::storage
