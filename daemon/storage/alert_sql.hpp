// The SQL of alerts, one .cpp per aggregate. Every function runs its own transaction on the given connection
// and may be repeated after any failure.
#pragma once

#include "storage/alert_store.hpp"
#include "storage/pqxx_shim.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::storage::sql {

// As the interfaces tell times: ISO 8601 in UTC, with microseconds. Sessions are in UTC.
inline std::string iso(const std::string& column) {
    return "coalesce(to_char(" + column + ", 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), '')";
}

// Condition on a row of endpoints: a daemon alive, or alive in the last four days (the retry schedule's
// length), serves it.
inline const std::string kServed = "served_at > now() - interval '4 days'";

// deliveries.cpp; each is one statement and its own transaction. `owner` is this process's uuid.
std::vector<DueDelivery> claim_deliveries(pqxx::connection& connection,
                                          const std::vector<EndpointRoom>& rooms, std::chrono::seconds lease,
                                          const std::string& owner);
std::map<std::string, std::string> keep_payloads(pqxx::connection& connection,
                                                 const std::map<std::string, std::string>& payloads);
void record_delivery(pqxx::connection& connection, const DeliveryOutcome& outcome, const std::string& owner);
std::optional<std::chrono::milliseconds> next_delivery_in(pqxx::connection& connection,
                                                          const std::vector<std::string>& endpoints);

// delivery_lists.cpp
void serve_endpoints(pqxx::connection& connection, const std::vector<std::string>& names, Serving serving);
std::vector<DeliveryRow> list_deliveries(pqxx::connection& connection, const DeliveryFilter& filter);
std::uint64_t resend(pqxx::connection& connection, const DeliveryFilter& filter);
std::vector<DeliveryBacklog> delivery_backlog(pqxx::connection& connection);

// findings.cpp
std::map<std::string, StoredCause> causes(pqxx::connection& connection,
                                          const std::vector<DueDelivery>& deliveries);
std::vector<FindingRow> list_findings(pqxx::connection& connection, const FindingFilter& filter);

// stream_events.cpp
std::vector<StreamEvent> stream_events(pqxx::connection& connection, std::int64_t after, unsigned limit);
std::int64_t last_stream_event(pqxx::connection& connection);
// How long the oldest line has been waiting that stream_events() holds back.
std::chrono::milliseconds stream_held_up(pqxx::connection& connection);
std::int64_t highest_stream_id(pqxx::connection& connection);
void settle_restored_events(pqxx::connection& connection);

}  // namespace receiptd::storage::sql
