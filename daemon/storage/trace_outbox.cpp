#include "storage/trace_outbox.hpp"

#include "chain/rows/copy_binary.hpp"
#include "chain/tree/finding.hpp"
#include "chain/wire/hash.hpp"
#include "storage/copy.hpp"
#include "storage/sql_time.hpp"
#include "storage/watch_rows.hpp"

#include <cmath>
#include <cstdint>

namespace receiptd::storage {
namespace {

// In the order of the key, so that two writers of the same trees cannot deadlock. What is too old is written,
// too: it is counted when it is looked at.
const std::string kQueueTrees =
    "INSERT INTO trace_outbox (tx_hash, included_height, ended_at) "
    "SELECT tx_hash, height, to_timestamp(ended / 1000000::float8) "
    "FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS t (tx_hash, height, ended) "
    "WHERE NOT EXISTS (SELECT FROM watches w WHERE w.tx_hash = t.tx_hash AND w." +
    kOpenStages +
    ") AND NOT EXISTS (SELECT FROM wanted_watches w WHERE w.tx_hash = t.tx_hash) "
    "ORDER BY 1, 2 ON CONFLICT DO NOTHING";

// An end without a tree is learned now.
constexpr const char* kQueueWatched =
    "INSERT INTO trace_outbox (tx_hash, included_height, ended_at) "
    "SELECT w.tx_hash, coalesce(i.height, 0), coalesce(i.ended, now()) FROM watches w "
    "LEFT JOIN LATERAL (SELECT max(block_height) FILTER (WHERE to_stage = 'included') AS height, "
    "  max(block_time) AS ended FROM watch_transitions t WHERE t.tx_hash = w.tx_hash) i ON w.stage = 'final' "
    "WHERE w.tx_hash = ANY ($1::text[]) ORDER BY 1, 2 ON CONFLICT DO NOTHING";

bool leaves_as_trace(const TraceRules& rules, std::string_view tx_hash, std::string_view verdict) {
    const bool failed = verdict != chain::verdict_name(chain::Verdict::succeeded);
    return (rules.failed && failed) || is_sampled(tx_hash, rules.sample);
}

}  // namespace

bool is_sampled(std::string_view tx_hash, double share) {
    if (share <= 0) return false;
    const auto hash = chain::CryptoHash::parse(tx_hash);
    if (!hash) return false;
    std::uint64_t number = 0;
    for (std::size_t i = 8; i < 16; ++i) number = number << 8u | hash->bytes[i];
    return static_cast<double>(number >> 1u) < std::ldexp(share, 63);
}

void queue_traces(pqxx::transaction_base& tx, const TraceRules& rules, const chain::RowBatch& batch) {
    if (rules.none() || batch[chain::Table::transaction_results].rows == 0) return;
    const auto since = microseconds(batch.happened.since);
    std::vector<std::string> tx_hashes, heights, ended;
    for_each_row(batch, chain::Table::transaction_results,
                 {"tx_hash", "included_height", "completed_time", "verdict"}, [&](const RowFields& row) {
                     const auto hash = row[0].value_or("");
                     const auto at = microseconds_in(row[2]);
                     if (at < since || !leaves_as_trace(rules, hash, row[3].value_or(""))) return;
                     tx_hashes.emplace_back(hash);
                     heights.push_back(std::to_string(chain::big_endian<std::int64_t>(row[1].value())));
                     ended.push_back(std::to_string(at));
                 });
    if (tx_hashes.empty()) return;
    shim::query(tx, kQueueTrees, text_array(tx_hashes), text_array(heights), text_array(ended));
}

void queue_watched(pqxx::transaction_base& tx, const TraceRules& rules,
                   const std::vector<std::string>& tx_hashes) {
    if (!rules.watched || tx_hashes.empty()) return;
    shim::query(tx, kQueueWatched, text_array(tx_hashes));
}

}  // namespace receiptd::storage
