#include "storage/pg_endpoint_store.hpp"

#include "storage/news.hpp"
#include "storage/sql_time.hpp"

#include <utility>

namespace receiptd::storage {
namespace {

// Indexes of pending and of dead deliveries by endpoint tell the counts, and that of pending ones the oldest.
const std::string kEndpoints =
    "SELECT e.name, ARRAY (SELECT rule FROM endpoint_rules WHERE endpoint = e.name ORDER BY rule), e.active, "
    "e." +
    kServed + ", CASE WHEN e.active THEN '' ELSE " + iso("e.updated_at") + " END, " + iso("e.served_at") +
    ", " + iso("p.oldest") +
    ", p.deliveries, (SELECT count(*) FROM deliveries d WHERE d.endpoint = e.name AND d.state = 'dead'), "
    "coalesce(e.served_by, ''), " +
    iso("e.paused_since") +
    " FROM endpoints e CROSS JOIN LATERAL (SELECT count(*) AS deliveries, "
    "min(d.created_at) AS oldest "
    "  FROM deliveries d WHERE d.endpoint = e.name AND d.state = 'pending') p ORDER BY e.name";

EndpointRow endpoint_of(const pqxx::row& row) {
    EndpointRow endpoint;
    endpoint.name = row[0].as<std::string>();
    endpoint.rules = ids_of(row[1]);
    endpoint.active = row[2].as<bool>();
    endpoint.is_served = row[3].as<bool>();
    endpoint.off_since = row[4].as<std::string>();
    endpoint.served_at = row[5].as<std::string>();
    endpoint.oldest_pending_at = row[6].as<std::string>();
    endpoint.pending = row[7].as<std::uint64_t>();
    endpoint.dead = row[8].as<std::uint64_t>();
    endpoint.served_by = row[9].as<std::string>();
    endpoint.paused_since = row[10].as<std::string>();
    return endpoint;
}

}  // namespace

base::Task<std::vector<EndpointRow>> PgEndpointStore::endpoints() {
    return lane_.transaction([](pqxx::work& tx) {
        std::vector<EndpointRow> found;
        for (const auto& row : tx.exec(kEndpoints)) found.push_back(endpoint_of(row));
        return found;
    });
}

base::Task<Switched> PgEndpointStore::change(std::string endpoint, std::string change) {
    return lane_.transaction([endpoint = std::move(endpoint), change = std::move(change)](pqxx::work& tx) {
        if (shim::query(tx, "UPDATE endpoints SET " + change, endpoint).affected_rows() > 0)
            return Switched::now;
        const auto known = shim::query(tx, "SELECT FROM endpoints WHERE name = $1", endpoint);
        return known.empty() ? Switched::no_such_endpoint : Switched::before;
    });
}

base::Task<Switched> PgEndpointStore::switch_on(std::string endpoint) {
    return change(std::move(endpoint), "active = true, updated_at = now() WHERE name = $1 AND NOT active");
}

base::Task<Switched> PgEndpointStore::pause(std::string endpoint) {
    return change(std::move(endpoint), "paused_since = now() WHERE name = $1 AND paused_since IS NULL");
}

base::Task<Switched> PgEndpointStore::resume(std::string endpoint) {
    return change(std::move(endpoint), "paused_since = NULL WHERE name = $1 AND paused_since IS NOT NULL");
}

}  // namespace receiptd::storage
