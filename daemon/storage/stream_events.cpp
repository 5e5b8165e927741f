// The lines of the stream, in an order in which nothing that commits late is passed by: that of (transaction,
// id), up to the oldest transaction that is still open. Ids alone do not do: they are given before the
// commit.
#include "storage/alert_sql.hpp"

namespace receiptd::storage::sql {
namespace {

const std::string kSettled = "(written_by < pg_snapshot_xmin(pg_current_snapshot()))";

StreamEvent event_of(const pqxx::row& row) {
    StreamEvent event;
    event.id = row[0].as<std::int64_t>();
    event.kind = row[1].as<std::string>();
    event.tx_hash = row[2].as<std::string>();
    event.at = row[3].as<std::string>();
    event.body_json = row[4].as<std::string>();
    return event;
}

}  // namespace

// Behind an event that is forgotten come those with a higher id.
std::vector<StreamEvent> stream_events(pqxx::connection& connection, std::int64_t after, unsigned limit) {
    static const std::string behind_it =
        "WITH last AS MATERIALIZED (SELECT written_by, id FROM stream_events WHERE id = $1) "
        "SELECT id, kind, coalesce(tx_hash, ''), " +
        iso("at") + ", body FROM stream_events WHERE " + kSettled +
        " AND (written_by, id) > (coalesce((SELECT written_by FROM last), '0'), "
        "coalesce((SELECT id FROM last), 0)) AND (id > $1 OR EXISTS (SELECT FROM last)) "
        "ORDER BY written_by, id LIMIT $2";
    pqxx::work tx(connection);
    const auto rows = shim::query(tx, behind_it, after, static_cast<std::int64_t>(limit));
    std::vector<StreamEvent> events;
    for (const auto& row : rows) events.push_back(event_of(row));
    return events;
}

std::int64_t last_stream_event(pqxx::connection& connection) {
    pqxx::work tx(connection);
    const auto rows = shim::query(
        tx, "SELECT id FROM stream_events WHERE " + kSettled + " ORDER BY written_by DESC, id DESC LIMIT 1");
    return rows.empty() ? 0 : rows[0][0].as<std::int64_t>();
}

std::chrono::milliseconds stream_held_up(pqxx::connection& connection) {
    pqxx::work tx(connection);
    const auto rows = shim::query(
        tx,
        "SELECT greatest(0, extract(epoch FROM clock_timestamp() - at) * 1000)::bigint FROM stream_events "
        "WHERE NOT " +
            kSettled + " ORDER BY written_by, id LIMIT 1");
    return std::chrono::milliseconds(rows.empty() ? 0 : rows[0][0].as<std::int64_t>());
}

// The rows may be forgotten; their sequence is not.
std::int64_t highest_stream_id(pqxx::connection& connection) {
    pqxx::work tx(connection);
    const auto rows =
        shim::query(tx,
                    "SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence('stream_events', "
                    "'id')::regclass), 0)");
    return rows[0][0].as<std::int64_t>();
}

// A database restored from a dump holds lines by transactions that its new cluster will only count up to:
// they come before everything that is written here, with those they were written after.
void settle_restored_events(pqxx::connection& connection) {
    pqxx::work tx(connection);
    tx.exec(
        "UPDATE stream_events SET written_by = '3' WHERE EXISTS (SELECT FROM stream_events "
        "WHERE written_by >= pg_snapshot_xmax(pg_current_snapshot()))");
    tx.commit();
}

}  // namespace receiptd::storage::sql
