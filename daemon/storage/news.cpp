// Findings that are news: whoever listens is told in the transaction that stores them.
#include "storage/copy.hpp"
#include "storage/sql.hpp"

#include <algorithm>

namespace receiptd::storage::sql {
namespace {

// What was told before (the same cause, found again) is not told again.
constexpr const char* kTell =
    "WITH news AS (SELECT f.* FROM findings f WHERE f.finding_id = ANY ($1::text[]) "
    "  AND f.block_time >= to_timestamp($2::numeric / 1000000000) - interval '1 second' "
    "  AND f.block_time <= to_timestamp($3::numeric / 1000000000) + interval '1 second'), "
    "told AS (INSERT INTO alerts (alert_id, kind, tx_hash) "
    "  SELECT finding_id, kind, tx_hash FROM news ORDER BY finding_id ON CONFLICT DO NOTHING RETURNING "
    "alert_id), "
    "queued AS (INSERT INTO deliveries (alert_id, endpoint) "
    "  SELECT alert_id, name FROM told CROSS JOIN endpoints WHERE active), "
    "streamed AS (INSERT INTO stream_events (kind, tx_hash, body) "
    "  SELECT 'finding', tx_hash, json_strip_nulls(to_json(news)) FROM news JOIN told ON alert_id = "
    "finding_id "
    "  ORDER BY block_height, finding_id RETURNING 1) "
    "SELECT count(*) FROM streamed";

}  // namespace

void tell_findings(pqxx::transaction_base& tx, const std::vector<chain::Finding>& findings) {
    if (findings.empty()) return;
    std::vector<std::string> ids;
    auto since = findings.front().at.timestamp_nanosec;
    auto until = since;
    for (const auto& finding : findings) {
        ids.push_back(chain::finding_id(finding));
        since = std::min(since, finding.at.timestamp_nanosec);
        until = std::max(until, finding.at.timestamp_nanosec);
    }
    const auto told = shim::query(tx, kTell, text_array(ids), since, until);
    if (told[0][0].as<std::uint64_t>() > 0) tx.exec("NOTIFY receiptd_findings");
}

}  // namespace receiptd::storage::sql
