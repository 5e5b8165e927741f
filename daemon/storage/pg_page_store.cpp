#include "storage/pg_page_store.hpp"

#include "storage/days_of.hpp"

#include "storage/sql_time.hpp"

#include <utility>

namespace receiptd::storage {
namespace {

// By the chain's own time: that of a sandbox or a recording is not this machine's. In microseconds.
std::int64_t hours_ago(pqxx::transaction_base& tx, unsigned hours) {
    return shim::query(
               tx,
               "SELECT " + microseconds_of("coalesce(newest_block_time(), now()) - $1::int * interval "
                                           "'1 hour'"),
               static_cast<int>(hours))[0][0]
        .as<std::int64_t>();
}

// Findings f that a filter chooses: $1 since, $2 contract, $3 kind, $4 handled.
std::string chosen_findings() {
    return "FROM findings f WHERE f.block_time >= " + time_parameter(1) +
           " AND ($2 = '' OR f.contract_id = $2) AND ($3 = '' OR f.kind = $3) "
           "AND ($4 = '' OR f.handled = nullif($4, '')::boolean) ";
}

const char* handled_parameter(const FailureFilter& filter) {
    if (!filter.handled) return "";
    return *filter.handled ? "true" : "false";
}

// Amounts are texts: as JSON numbers they would lose digits. Sizes are compared where they lie, so that a
// long value is not read for nothing.
std::string details_on(const DaysOf& days) {
    return "SELECT r.receipt_id, json_build_object('receipt_id', r.receipt_id, 'tx_hash', r.tx_hash, "
           "'parent_receipt_id', r.parent_receipt_id, 'role', r.role, 'block_height', r.block_height, "
           "'block_time', " +
           iso("r.block_time") +
           ", 'shard_id', r.shard_id, 'predecessor_id', r.predecessor_id, 'receiver_id', r.receiver_id, "
           "'signer_id', r.signer_id, 'deposit', r.deposit::text, 'method_name', r.method_name, "
           "'actions', CASE WHEN pg_column_size(r.actions) <= $3::bigint AND octet_length(r.actions::text) "
           "<= "
           "$3::bigint "
           "THEN r.actions END, 'input_data_ids', r.input_data_ids, 'output_data_ids', r.output_data_ids, "
           "'receipt_ids', r.receipt_ids, 'status', r.status, "
           "'result', CASE WHEN octet_length(r.result) <= $3::bigint THEN r.result END, "
           "'error_class', r.error_class, 'error_text', left(r.error_text, $3::int), "
           "'error', CASE WHEN octet_length(r.error::text) <= $3::bigint THEN r.error END, "
           "'gas_burnt', r.gas_burnt, 'tokens_burnt', r.tokens_burnt::text, 'logs', r.logs)::text, "
           "coalesce((SELECT json_agg(json_build_object('standard', e.standard, 'version', e.version, "
           "'event', "
           "e.event, "
           "'data', CASE WHEN octet_length(e.data::text) <= $3::bigint THEN e.data END) ORDER BY "
           "e.\"index\") "
           "FROM events e WHERE e.tree_id = r.tree_id AND e.receipt_id = r.receipt_id "
           "AND e.block_time = r.block_time AND " +
           days.have("e.block_time") +
           ")::text, '[]') "
           "FROM receipts r WHERE r.tree_id = ANY (trees_of_hashes(ARRAY[$1::text])) AND r.receipt_id = ANY "
           "($2::text[]) AND " +
           days.have("r.block_time");
}

}  // namespace

base::Task<std::vector<ReceiptDetail>> PgPageStore::receipt_details(std::string tree_id,
                                                                    std::vector<std::string> receipt_ids,
                                                                    std::size_t most_bytes) {
    return database_.pool.people.transaction([tree_id = std::move(tree_id), ids = std::move(receipt_ids),
                                              most_bytes](pqxx::work& tx) {
        const auto days = DaysOf::trees_of(tx, {tree_id});
        const auto rows = shim::query(tx, details_on(days), tree_id, text_array(ids),
                                      static_cast<std::int64_t>(most_bytes));
        std::vector<ReceiptDetail> details;
        for (const auto& row : rows)
            details.push_back({row[0].as<std::string>(), row[1].as<std::string>(), row[2].as<std::string>()});
        return details;
    });
}

base::Task<RecentCounts> PgPageStore::recent_counts() {
    return database_.pool.people.transaction([](pqxx::work& tx) {
        RecentCounts counts;
        const std::string is_half_done = "verdict IN ('callback_failed', 'receipt_failed')";
        for (const auto& row : shim::query(
                 tx,
                 "SELECT verdict, count(*), count(*) FILTER (WHERE near_status = 'success' AND " +
                     is_half_done +
                     "), count(*) FILTER (WHERE verdict = 'failed' OR (near_status = 'failure' AND " +
                     is_half_done + ")) FROM transaction_results WHERE block_time >= " + time_parameter(1) +
                     " GROUP BY verdict",
                 hours_ago(tx, 1))) {
            counts.verdicts[row[0].as<std::string>()] = row[1].as<std::uint64_t>();
            counts.hidden_failures += row[2].as<std::uint64_t>();
            counts.told_failures += row[3].as<std::uint64_t>();
        }
        const auto watches = tx.exec("SELECT count(*), count(*) FILTER (WHERE stuck) FROM open_watches");
        counts.open_watches = watches[0][0].as<std::uint64_t>();
        counts.stuck_watches = watches[0][1].as<std::uint64_t>();
        return counts;
    });
}

base::Task<std::vector<FailureGroup>> PgPageStore::failure_groups(FailureFilter filter, unsigned limit) {
    return database_.pool.people.transaction([filter = std::move(filter), limit](pqxx::work& tx) {
        const auto newest = [](const std::string& column) {
            return "coalesce((array_agg(" + column + " ORDER BY f.block_time DESC))[1], '')";
        };
        const auto rows = shim::query(
            tx,
            "SELECT f.kind, coalesce(f.contract_id, ''), coalesce(f.method_name, ''), "
            "coalesce(f.error_class, ''), " +
                newest("f.error_text") + ", " + newest("f.tx_hash") + ", " + iso("min(f.block_time)") + ", " +
                iso("max(f.block_time)") + ", count(*) " + chosen_findings() +
                "GROUP BY f.kind, f.contract_id, f.method_name, f.error_class "
                "ORDER BY count(*) DESC, max(f.block_time) DESC LIMIT $5",
            hours_ago(tx, filter.hours), filter.contract_id, filter.kind, handled_parameter(filter),
            static_cast<std::int64_t>(limit));
        std::vector<FailureGroup> groups;
        for (const auto& row : rows) {
            FailureGroup group;
            group.kind = row[0].as<std::string>();
            group.contract_id = row[1].as<std::string>();
            group.method_name = row[2].as<std::string>();
            group.error_class = row[3].as<std::string>();
            group.error_text = row[4].as<std::string>();
            group.tx_hash = row[5].as<std::string>();
            group.first_at = row[6].as<std::string>();
            group.last_at = row[7].as<std::string>();
            group.findings = row[8].as<std::uint64_t>();
            groups.push_back(std::move(group));
        }
        return groups;
    });
}

base::Task<std::vector<FailureCount>> PgPageStore::failure_trend(FailureFilter filter, unsigned steps) {
    return database_.pool.people.transaction([filter = std::move(filter), steps](pqxx::work& tx) {
        const auto rows = shim::query(
            tx,
            "WITH span AS (SELECT " + time_parameter(1) +
                " AS since, $6::int * interval '1 hour' / $5::int AS step), "
                "counted AS (SELECT least(floor(extract(epoch FROM f.block_time - s.since) / "
                "extract(epoch FROM s.step)), $5::int - 1)::int AS number, count(*) AS findings "
                "FROM span s, LATERAL (SELECT f.block_time " +
                chosen_findings() +
                ") f GROUP BY 1) "
                "SELECT " +
                iso("s.since + number * s.step") +
                ", coalesce(c.findings, 0) FROM span s, generate_series(0, $5::int - 1) AS number "
                "LEFT JOIN counted c USING (number) ORDER BY number",
            hours_ago(tx, filter.hours), filter.contract_id, filter.kind, handled_parameter(filter),
            static_cast<int>(steps), static_cast<int>(filter.hours));
        std::vector<FailureCount> trend;
        for (const auto& row : rows) trend.push_back({row[0].as<std::string>(), row[1].as<std::uint64_t>()});
        return trend;
    });
}

base::Task<std::vector<MethodHealth>> PgPageStore::contract_health(std::string contract_id, unsigned hours,
                                                                   unsigned limit) {
    return database_.pool.people.transaction([contract_id = std::move(contract_id), hours,
                                              limit](pqxx::work& tx) {
        const auto rows = shim::query(
            tx,
            "SELECT contract_id, coalesce(method_name, ''), sum(calls), sum(failures), sum(failed_callbacks) "
            "FROM contract_health(" +
                time_parameter(1) +
                ", contract => nullif($2, '')) GROUP BY 1, 2 "
                "ORDER BY sum(failures) DESC, sum(calls) DESC, 1, 2 LIMIT $3",
            hours_ago(tx, hours), contract_id, static_cast<std::int64_t>(limit));
        std::vector<MethodHealth> methods;
        for (const auto& row : rows)
            methods.push_back({row[0].as<std::string>(), row[1].as<std::string>(), row[2].as<std::uint64_t>(),
                               row[3].as<std::uint64_t>(), row[4].as<std::uint64_t>()});
        return methods;
    });
}

base::Task<std::optional<AlertGroup>> PgPageStore::alert_group(std::int64_t group_id) {
    return database_.pool.people.transaction([group_id](pqxx::work& tx) -> std::optional<AlertGroup> {
        const auto rows = shim::query(tx,
                                      "SELECT endpoint, key, members, told, digests, " + iso("first_at") +
                                          ", " + iso("last_at") + ", " + iso("ended_at") +
                                          " FROM alert_groups WHERE group_id = $1::bigint",
                                      group_id);
        if (rows.empty()) return std::nullopt;
        const auto row = rows[0];
        AlertGroup group;
        group.group_id = group_id;
        group.endpoint = row[0].as<std::string>();
        group.key_json = row[1].as<std::string>();
        group.members = row[2].as<std::uint64_t>();
        group.told = row[3].as<std::uint64_t>();
        group.digests = row[4].as<std::uint64_t>();
        group.first_at = row[5].as<std::string>();
        group.last_at = row[6].as<std::string>();
        group.ended_at = row[7].as<std::string>();
        return group;
    });
}

}  // namespace receiptd::storage
