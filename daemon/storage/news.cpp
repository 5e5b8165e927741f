#include "storage/news.hpp"

#include "storage/copy.hpp"
#include "storage/daemons.hpp"

#include <algorithm>

namespace receiptd::storage {
namespace {

// A relayer's repetition of what was executed already is no news (schema/27_delegate_refusals.sql), unless a
// daemon wants to be told of it.
const std::string kTell =
    "WITH news AS (SELECT f.*, nullif(next, 1) AS telling FROM findings f "
    "  CROSS JOIN LATERAL next_telling(f.finding_id, f.tree_id) AS next "
    "  WHERE f.finding_id = ANY ($1::text[]) AND next >= $4 "
    "  AND f.block_time >= to_timestamp($2::numeric / 1000000000) - interval '1 second' "
    "  AND f.block_time <= to_timestamp($3::numeric / 1000000000) + interval '1 second' "
    "  AND f.expected IS NOT TRUE "
    "  AND CASE WHEN f.error_class = 'delegate_nonce_used' AND f.kind = 'failed_receipt' "
    "    AND NOT EXISTS (SELECT FROM daemons WHERE tells_delegate_duplicates AND " +
    kAlive +
    ") THEN (SELECT same FROM delegate_nonce_used_by(f.receipt_id, f.tree_id, f.block_time)) IS NOT TRUE "
    "    ELSE true END), "
    "told AS (INSERT INTO alerts (alert_id, kind, tx_hash, telling, handled) "
    "  SELECT finding_id || coalesce(':' || telling, ''), kind, tx_hash, coalesce(telling, 1), handled FROM "
    "news "
    "  ORDER BY finding_id ON CONFLICT DO NOTHING RETURNING alert_id), "
    "queued AS (INSERT INTO deliveries (alert_id, endpoint) "
    "  SELECT alert_id, name FROM told CROSS JOIN endpoints WHERE " +
    kServed +
    ") "
    "INSERT INTO stream_events (kind, tx_hash, body) "
    "SELECT 'finding', tx_hash, json_strip_nulls(to_json(news)) FROM news "
    "JOIN told ON alert_id = finding_id || coalesce(':' || telling, '') ORDER BY block_height, finding_id";

}  // namespace

void News::add(std::string finding_id, std::uint64_t at) {
    since = finding_ids.empty() ? at : std::min(since, at);
    until = finding_ids.empty() ? at : std::max(until, at);
    finding_ids.push_back(std::move(finding_id));
}

void tell(pqxx::transaction_base& tx, const News& news, Telling telling) {
    if (news.finding_ids.empty()) return;
    shim::query(tx, kTell, text_array(news.finding_ids), news.since, news.until,
                telling == Telling::again ? 2 : 1);
}

void tell_findings(pqxx::transaction_base& tx, const std::vector<chain::Finding>& findings, Telling telling) {
    News news;
    for (const auto& finding : findings) news.add(finding.finding_id, finding.at.timestamp_nanosec);
    tell(tx, news, telling);
}

}  // namespace receiptd::storage
