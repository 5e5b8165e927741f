// Findings and the trees they were found in, as alerts and lists tell them.
#include "storage/alert_sql.hpp"
#include "storage/copy.hpp"
#include "storage/store.hpp"
#include "storage/watch_sql.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

namespace receiptd::storage {

std::string cursor_after(const FindingRow& finding) { return finding.block_time + "," + finding.finding_id; }

std::optional<FindingCursor> parse_finding_cursor(const std::string& text) {
    constexpr std::string_view shape = "0000-00-00T00:00:00.000000Z,";
    if (text.size() <= shape.size()) return std::nullopt;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const bool digit = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
        if (shape[i] == '0' ? !digit : text[i] != shape[i]) return std::nullopt;
    }
    return FindingCursor{text.substr(0, shape.size() - 1), text.substr(shape.size())};
}

namespace sql {
namespace {

const std::string kSelect =
    "SELECT f.finding_id, f.kind, coalesce(f.tx_hash, ''), coalesce(f.receipt_id, ''), coalesce(f.role, ''), "
    "f.handled, coalesce(f.contract_id, ''), coalesce(f.method_name, ''), coalesce(f.signer_id, ''), "
    "coalesce(f.error_class, ''), coalesce(f.error_text, ''), f.block_height, " +
    iso("f.block_time") + " FROM findings f ";

FindingRow finding_of(const pqxx::row& row) {
    FindingRow finding;
    finding.finding_id = row[0].as<std::string>();
    finding.kind = row[1].as<std::string>();
    finding.tx_hash = row[2].as<std::string>();
    finding.receipt_id = row[3].as<std::string>();
    finding.role = row[4].as<std::string>();
    if (!row[5].is_null()) finding.handled = row[5].as<bool>();
    finding.contract_id = row[6].as<std::string>();
    finding.method_name = row[7].as<std::string>();
    finding.signer_id = row[8].as<std::string>();
    finding.error_class = row[9].as<std::string>();
    finding.error_text = row[10].as<std::string>();
    if (!row[11].is_null()) finding.block_height = row[11].as<chain::BlockHeight>();
    finding.block_time = row[12].as<std::string>();
    return finding;
}

std::vector<FindingRow> findings_of(pqxx::connection& connection, const std::vector<std::string>& ids,
                                    base::WallTime alerted_since) {
    pqxx::work tx(connection);
    const auto rows =
        shim::query(tx,
                    kSelect +
                        "WHERE f.finding_id = ANY ($1::text[]) "
                        "AND f.block_time >= to_timestamp($2::numeric / 1000000000) - interval '1 day' "
                        "ORDER BY f.block_time DESC",
                    text_array(ids), alerted_since.time_since_epoch().count());
    std::vector<FindingRow> findings;
    for (const auto& row : rows) findings.push_back(finding_of(row));
    return findings;
}

FindingCursor cursor_of(const std::string& text) {
    if (text.empty()) return {};
    auto cursor = parse_finding_cursor(text);
    if (!cursor) throw StorageError("not the cursor of a list of findings: \"" + text + "\"");
    return std::move(*cursor);
}

}  // namespace

// What alerts is younger than a day: older partitions are left out.
std::map<std::string, StoredCause> causes(pqxx::connection& connection,
                                          const std::vector<DueDelivery>& deliveries) {
    std::map<std::string, StoredCause> known;
    std::map<std::string, std::vector<std::string>> alerts_of;  // by tx_hash
    std::vector<std::string> ids, tx_hashes;
    auto since = base::WallTime::max();
    for (const auto& delivery : deliveries) {
        since = std::min(since, delivery.created_at);
        if (!known.emplace(delivery.alert_id, StoredCause()).second) continue;
        ids.push_back(delivery.alert_id);
        if (delivery.tx_hash.empty()) continue;
        auto& alerts = alerts_of[delivery.tx_hash];
        if (alerts.empty()) tx_hashes.push_back(delivery.tx_hash);
        alerts.push_back(delivery.alert_id);
    }
    for (auto& finding : findings_of(connection, ids, since)) {
        const auto alert_id = finding.finding_id;
        known[alert_id].finding = std::move(finding);
    }
    const auto trees = stored_trees(connection, tx_hashes);
    for (const auto& [tx_hash, tree] : trees)
        for (const auto& alert_id : alerts_of[tx_hash]) known[alert_id].tree = tree;
    return known;
}

// Newest first. The values are known when it is planned: conditions that are always true fall away.
std::vector<FindingRow> list_findings(pqxx::connection& connection, const FindingFilter& filter) {
    const auto cursor = cursor_of(filter.cursor);
    const char* handled = !filter.handled ? "" : *filter.handled ? "true" : "false";
    pqxx::work tx(connection);
    const auto rows = shim::query(
        tx,
        kSelect +
            "WHERE ($1 = '' OR (f.tree_id = $1 AND f.tx_hash = $1)) AND ($2 = '' OR f.contract_id = $2) "
            "AND ($3 = '' OR f.kind = $3) AND ($4 = '' OR f.handled = nullif($4, '')::boolean) "
            "AND f.block_time >= coalesce(nullif($5, '')::timestamptz, '-infinity') "
            "AND ($6 = '' OR (f.block_time, f.finding_id) < (nullif($6, '')::timestamptz, $7)) "
            "ORDER BY f.block_time DESC, f.finding_id DESC LIMIT $8",
        filter.tx_hash, filter.contract_id, filter.kind, handled, filter.since, cursor.block_time,
        cursor.finding_id, static_cast<std::int64_t>(filter.limit));
    std::vector<FindingRow> findings;
    for (const auto& row : rows) findings.push_back(finding_of(row));
    return findings;
}

}  // namespace sql
}  // namespace receiptd::storage
