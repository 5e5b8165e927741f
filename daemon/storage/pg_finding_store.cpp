#include "storage/pg_finding_store.hpp"

#include "base/iso_time.hpp"
#include "storage/certainty_rows.hpp"
#include "storage/days_of.hpp"
#include "storage/errors.hpp"
#include "storage/sql_time.hpp"
#include "storage/time_cursor.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>
#include <utility>

namespace receiptd::storage {
namespace {

// Selects the findings of `source`, with what NEAR says of their transactions.
// `results_within`: a condition on block_time that the results of their transactions fulfil.
std::string select_from(const std::string& source, const std::string& results_within) {
    return "SELECT f.finding_id, f.kind, coalesce(f.tx_hash, ''), coalesce(f.receipt_id, ''), "
           "coalesce(f.role, ''), "
           "f.handled, coalesce(f.contract_id, ''), coalesce(f.method_name, ''), coalesce(f.signer_id, ''), "
           "coalesce(f.error_class, ''), coalesce(left(f.error_text, 4097), ''), coalesce(f.block_height, "
           "0), " +
           microseconds_of("f.block_time") +
           ", f.handled_by, coalesce(f.root_cause, ''), coalesce(f.effect, ''), "
           "f.amount_kept, f.amount_returned, r.near_status = 'failure', "
           "coalesce(r.near_status_receipt_id, ''), " +
           certainty_columns("f.") +
           ", coalesce(f.correction::text, ''), coalesce(f.user_id, ''), f.amount_burnt, "
           "coalesce(f.expected, false) FROM " +
           source +
           " f LEFT JOIN LATERAL (SELECT near_status, near_status_receipt_id FROM transaction_results "
           "WHERE tx_hash = f.tx_hash AND tree_id = f.tree_id "
           "AND block_time BETWEEN f.block_time - interval '7 days' AND f.block_time AND " +
           results_within + " LIMIT 1) r ON true ";
}

chain::Finding finding_of(const pqxx::row& row) {
    chain::Finding finding;
    finding.finding_id = row[0].as<std::string>();
    finding.kind = row[1].as<std::string>();
    finding.tx_hash = row[2].as<std::string>();
    finding.receipt_id = row[3].as<std::string>();
    finding.role = chain::parse_role(row[4].as<std::string>());
    finding.handled = shim::optional_of<bool>(row[5]);
    finding.contract_id = row[6].as<std::string>();
    finding.method_name = row[7].as<std::string>();
    finding.signer_id = row[8].as<std::string>();
    finding.failure = {row[9].as<std::string>(), row[10].as<std::string>()};
    finding.at = {row[11].as<chain::BlockHeight>(),
                  row[12].as<std::uint64_t>() * static_cast<std::uint64_t>(kNanosecondsPerMicrosecond)};
    finding.handled_by = ids_of(row[13]);
    finding.root_cause = row[14].as<std::string>();
    finding.effect = chain::parse_effect(row[15].as<std::string>());
    if (!row[17].is_null()) finding.flow = chain::TokenFlow{amount_of(row[16]), amount_of(row[17])};
    if (!row[18].is_null())
        finding.near_status = chain::NearStatus{row[18].as<bool>(), row[19].as<std::string>()};
    finding.certainty = certainty_of(row, 20);
    finding.correction_json = row[23].as<std::string>();
    finding.user_id = row[24].as<std::string>();
    if (!row[25].is_null()) finding.burnt = amount_of(row[25]);
    finding.expected = row[26].as<bool>();
    return finding;
}

std::vector<chain::Finding> findings_in(const pqxx::result& rows) {
    std::vector<chain::Finding> findings;
    for (const auto& row : rows) findings.push_back(finding_of(row));
    return findings;
}

FindingCursor cursor_of(const std::string& text) {
    if (text.empty()) return {};
    auto cursor = parse_finding_cursor(text);
    if (!cursor) throw StorageError("not the cursor of a list of findings: \"" + text + "\"");
    return std::move(*cursor);
}

// Lines are read in an order in which nothing that commits late is passed by: that of (transaction, id), up
// to the oldest transaction that is still open. Ids alone do not do: they are given before the commit.
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

// Only those whose alerts were made since then.
std::vector<chain::Finding> findings_of(pqxx::connection& connection, const std::vector<std::string>& ids,
                                        base::WallTime alerted_since) {
    pqxx::work tx(connection);
    const auto rows = shim::query(
        tx,
        select_from("findings", "block_time >= " + time_of_nanoseconds(2, -std::chrono::days(8))) +
            "WHERE f.finding_id = ANY ($1::text[]) "
            "AND f.block_time >= " +
            time_of_nanoseconds(2, std::chrono::days(-1)) + " ORDER BY f.block_time DESC",
        text_array(ids), alerted_since.time_since_epoch().count());
    return findings_in(rows);
}

// However old they are.
std::vector<chain::Finding> findings_of_trees(pqxx::connection& connection,
                                              const std::vector<std::string>& ids,
                                              const std::vector<std::string>& tx_hashes) {
    pqxx::work tx(connection);
    const auto days = DaysOf::trees_of(tx, tx_hashes);
    const auto rows = shim::query(
        tx,
        select_from("findings", days.have("block_time")) +
            "WHERE f.tree_id = ANY (trees_of_hashes($2::text[])) AND f.finding_id = ANY ($1::text[]) AND " +
            days.have("f.block_time") + " ORDER BY f.block_time DESC",
        text_array(ids), text_array(tx_hashes));
    return findings_in(rows);
}

}  // namespace

// Most causes are less than a day older than their delivery. Corrections are as old as what they take back,
// and what a gap has held up is up to a week old: these are looked for in their trees.
std::vector<chain::Finding> findings_told(pqxx::connection& connection, const std::set<std::string>& ids,
                                          const std::vector<std::string>& tx_hashes, base::WallTime since) {
    auto findings = findings_of(connection, {ids.begin(), ids.end()}, since);
    auto older = ids;
    for (const auto& finding : findings) older.erase(finding.finding_id);
    if (older.empty()) return findings;
    for (auto& finding : findings_of_trees(connection, {older.begin(), older.end()}, tx_hashes))
        findings.push_back(std::move(finding));
    return findings;
}

std::string cursor_after(const chain::Finding& finding) {
    return base::iso_time_to_microseconds(finding.at.timestamp_nanosec) + "," + finding.finding_id;
}

std::optional<FindingCursor> parse_finding_cursor(const std::string& text) {
    auto cursor = parse_time_cursor(text);
    if (!cursor) return std::nullopt;
    return FindingCursor{std::move(cursor->time), std::move(cursor->rest)};
}

namespace {

// A page of those that a filter chooses: $1 to $9, and a place behind which they come. `by`: more conditions.
std::string chosen_page(const std::string& findings_within, const std::string& by) {
    return "(SELECT * FROM findings f "
           "WHERE ($1 = '' OR (f.tree_id = ANY (trees_of_hashes(ARRAY[$1::text])) AND f.tx_hash = $1)) AND " +
           findings_within + by +
           " AND ($2 = '' OR f.contract_id = $2) AND ($3 = '' OR f.kind = $3) "
           "AND ($4 = '' OR f.handled = nullif($4, '')::boolean) AND ($5 = '' OR f.signer_id = $5) "
           "AND ($6 = '' OR f.method_name = $6) AND ($7 = '' OR f.error_class = $7) "
           "AND ($8 = '' OR f.role = $8) AND ($9 = '' OR f.effect = $9) "
           "AND f.block_time >= coalesce(nullif($10, '')::timestamptz, '-infinity') "
           "AND f.block_time < coalesce(nullif($11, '')::timestamptz, 'infinity') "
           "AND ($12 = '' OR (f.block_time, f.finding_id) < (nullif($12, '')::timestamptz, $13)) "
           "ORDER BY f.block_time DESC, f.finding_id DESC LIMIT $14)";
}

// Each half has an index of its own.
std::string pages_of_user(const std::string& findings_within) {
    return "(SELECT * FROM (" + chosen_page(findings_within, " AND f.user_id = $15") + " UNION ALL " +
           chosen_page(findings_within, " AND f.signer_id = $15 AND f.user_id IS NULL") +
           ") f ORDER BY f.block_time DESC, f.finding_id DESC LIMIT $14)";
}

// Newest first. The values are known when it is planned: conditions that are always true fall away.
// `findings_within` and `results_within`: conditions on f.block_time and on block_time.
pqxx::result page_of(pqxx::transaction_base& tx, const FindingFilter& filter,
                     const std::string& findings_within, const std::string& results_within) {
    const auto cursor = cursor_of(filter.cursor);
    const char* handled = !filter.handled ? "" : *filter.handled ? "true" : "false";
    const auto page = filter.user_id.empty() ? chosen_page(findings_within, " AND $15 = ''")
                                             : pages_of_user(findings_within);
    return shim::query(
        tx, select_from(page, results_within) + "ORDER BY f.block_time DESC, f.finding_id DESC",
        filter.tx_hash, filter.contract_id, filter.kind, handled, filter.signer_id, filter.method_name,
        filter.error_class, filter.role, filter.effect, filter.since, filter.until, cursor.block_time,
        cursor.finding_id, static_cast<std::int64_t>(filter.limit), filter.user_id);
}

// Where a page may lie, newest first. Most pages lie within the last day; later steps are longer, but none
// has so many partitions that its locks would fill PostgreSQL's table.
std::vector<PgFindingStore::Days> days_of_page(pqxx::transaction_base& tx, const FindingFilter& filter) {
    const auto rows = shim::query(
        tx,
        "WITH given AS (SELECT least(nullif($1, '')::timestamptz, nullif($3, '')::timestamptz) AS until), "
        "place AS (SELECT least(until, coalesce(newest_block_time(), now())) AS newest, until, "
        "    (SELECT min(block_time) FROM block_marks) AS oldest FROM given), "
        "edges AS (SELECT newest - days * interval '1 day' AS since FROM place, unnest('{1,17}'::int[]) AS "
        "days "
        "  UNION ALL SELECT generate_series(newest - interval '273 days', oldest, interval '-256 days') "
        "    FROM place "
        "  UNION ALL SELECT '-infinity'), "
        "steps AS (SELECT since, lag(since, 1, coalesce((SELECT until FROM place) + interval '1 "
        "microsecond', "
        "    'infinity')) OVER (ORDER BY since DESC) AS until FROM edges) "
        "SELECT since, until, since - interval '8 days' FROM steps "
        "WHERE until > coalesce(nullif($2, '')::timestamptz, '-infinity') ORDER BY since DESC",
        cursor_of(filter.cursor).block_time, filter.since, filter.until);
    std::vector<PgFindingStore::Days> days;
    for (const auto& row : rows)
        days.push_back({row[0].as<std::string>(), row[1].as<std::string>(), row[2].as<std::string>()});
    return days;
}

}  // namespace

base::Task<std::vector<PgFindingStore::Days>> PgFindingStore::days_of(const FindingFilter& filter) {
    return database_.pool.people.transaction([filter](pqxx::work& tx) { return days_of_page(tx, filter); });
}

base::Task<std::vector<chain::Finding>> PgFindingStore::findings_on(const Days& days,
                                                                    const FindingFilter& filter) {
    return database_.pool.people.transaction([filter, days](pqxx::work& tx) {
        const auto before = " < '" + days.until + "'";
        return findings_in(page_of(tx, filter,
                                   "f.block_time >= '" + days.since + "' AND f.block_time" + before,
                                   "block_time >= '" + days.results_since + "' AND block_time" + before));
    });
}

base::Task<std::vector<chain::Finding>> PgFindingStore::newest_findings(FindingFilter filter) {
    const auto all_days = co_await days_of(filter);
    std::vector<chain::Finding> page;
    for (const auto& days : all_days) {
        auto found = co_await findings_on(days, filter);
        filter.limit -= static_cast<unsigned>(found.size());
        std::move(found.begin(), found.end(), std::back_inserter(page));
        if (filter.limit == 0) break;
    }
    co_return page;
}

base::Task<std::vector<chain::Finding>> PgFindingStore::list_findings(FindingFilter filter) {
    if (filter.tx_hash.empty()) return newest_findings(std::move(filter));
    return database_.pool.people.transaction([filter = std::move(filter)](pqxx::work& tx) {
        const auto days = DaysOf::trees_of(tx, {filter.tx_hash});
        return findings_in(page_of(tx, filter, days.have("f.block_time"), days.have("block_time")));
    });
}

base::Task<Kept> PgFindingStore::kept(std::string tx_hash) {
    return database_.pool.people.transaction(
        [tx_hash = std::move(tx_hash)](pqxx::work& tx) { return kept_of(tx, tx_hash); });
}

// If the event `after` was deleted, the events with a higher id follow.
base::Task<std::vector<StreamEvent>> PgFindingStore::stream_events(std::int64_t after, StreamPage page) {
    return database_.pool.stream.transaction([after, page](pqxx::work& tx) {
        static const std::string behind_it =
            "WITH last AS MATERIALIZED (SELECT written_by, id FROM stream_events WHERE id = $1) "
            "SELECT id, kind, coalesce(tx_hash, ''), " +
            iso("at") +
            ", body FROM (SELECT *, sum(octet_length(body::text)) OVER (ORDER BY written_by, id) "
            "    - octet_length(body::text) AS before FROM (SELECT * FROM stream_events WHERE " +
            kSettled +
            " AND (written_by, id) > (coalesce((SELECT written_by FROM last), '0'), "
            "coalesce((SELECT id FROM last), 0)) AND (id > $1 OR EXISTS (SELECT FROM last)) "
            "ORDER BY written_by, id LIMIT $2) lines) page WHERE before < $3 ORDER BY written_by, id";
        const auto rows = shim::query(tx, behind_it, after, static_cast<std::int64_t>(page.lines),
                                      static_cast<std::int64_t>(page.bytes));
        std::vector<StreamEvent> events;
        for (const auto& row : rows) events.push_back(event_of(row));
        return events;
    });
}

base::Task<std::int64_t> PgFindingStore::last_stream_event() {
    return database_.pool.stream.transaction([](pqxx::work& tx) {
        const auto rows = shim::query(tx, "SELECT id FROM stream_events WHERE " + kSettled +
                                              " ORDER BY written_by DESC, id DESC LIMIT 1");
        return rows.empty() ? 0 : rows[0][0].as<std::int64_t>();
    });
}

base::Task<StreamHeldUp> PgFindingStore::stream_held_up() {
    return database_.pool.stream.transaction([](pqxx::work& tx) -> StreamHeldUp {
        const auto rows = shim::query(tx,
                                      "SELECT greatest(0, extract(epoch FROM clock_timestamp() - at) * "
                                      "1000)::bigint FROM stream_events "
                                      "WHERE NOT " +
                                          kSettled + " ORDER BY written_by, id LIMIT 1");
        if (rows.empty()) return {};
        return {std::chrono::milliseconds(rows[0][0].as<std::int64_t>()), oldest_writer(tx)};
    });
}

// The rows may be forgotten; their sequence is not.
base::Task<std::int64_t> PgFindingStore::highest_stream_id() {
    return database_.pool.stream.transaction([](pqxx::work& tx) {
        const auto rows =
            shim::query(tx,
                        "SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence('stream_events', "
                        "'id')::regclass), 0)");
        return rows[0][0].as<std::int64_t>();
    });
}

// A database restored from a dump holds lines by transactions that its new cluster will only count up to:
// they come before everything that is written here, with those they were written after.
base::Task<void> PgFindingStore::prepare() {
    return database_.pool.alerts.transaction([](pqxx::work& tx) {
        tx.exec(
            "UPDATE stream_events SET written_by = '3' WHERE EXISTS (SELECT FROM stream_events "
            "WHERE written_by >= pg_snapshot_xmax(pg_current_snapshot()))");
    });
}

}  // namespace receiptd::storage
