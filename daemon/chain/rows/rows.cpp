#include "chain/rows/rows.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace receiptd::chain {

namespace {

std::vector<std::string> receipt_columns() {
    return {"receipt_id",
            "tree_id",
            "block_height",
            "block_time",
            "shard_id",
            "index_in_chunk",
            "tx_hash",
            "parent_receipt_id",
            "predecessor_id",
            "receiver_id",
            "signer_id",
            "role",
            "method_name",
            "actions",
            "deposit",
            "input_data_ids",
            "output_data_ids",
            "receipt_ids",
            "status",
            "result",
            "error_class",
            "error_text",
            "error",
            "gas_burnt",
            "tokens_burnt",
            "logs",
            "executed_block_hash",
            "is_promise_yield",
            "as_given"};
}

std::vector<std::string> finding_columns() {
    return {"finding_id",      "kind",        "tx_hash",      "tree_id",    "receipt_id",  "role",
            "handled",         "contract_id", "method_name",  "signer_id",  "error_class", "error_text",
            "block_height",    "block_time",  "handled_by",   "root_cause", "effect",      "amount_kept",
            "amount_returned", "user_id",     "amount_burnt", "expected"};
}

std::vector<std::string> distribution_columns() {
    return {"receipt_id",    "block_height",        "block_time", "shard_id", "deployer_id",
            "contract_hash", "contract_account_id", "code",       "nonce",    "target_shard_id",
            "delivered"};
}

std::array<TableSpec, kTableCount> make_specs() {
    return {{
        {"blocks",
         {"block_height", "block_hash", "prev_hash", "prev_height", "block_time", "timestamp_nanosec",
          "author_id", "epoch_id", "chunks_included", "shard_count", "gas_price", "total_supply",
          "protocol_version", "on_trust"}},
        {"chunks",
         {"block_height", "block_time", "shard_id", "chunk_hash", "missing", "height_created",
          "height_included", "gas_used", "gas_limit", "balance_burnt", "encoded_length", "outcome_root",
          "tx_root", "executed_root", "covered"}},
        {"transactions", {"tx_hash",        "tree_id",      "block_height",       "block_time",  "shard_id",
                          "index_in_chunk", "signer_id",    "receiver_id",        "nonce",       "public_key",
                          "actions",        "status",       "initial_receipt_id", "error_class", "error_text",
                          "gas_burnt",      "tokens_burnt", "nonce_index",        "user_id",     "as_given",
                          "claimed_user_id"}},
        {"receipts", receipt_columns()},
        {"data_receipts",
         {"data_id", "receipt_id", "tree_id", "tx_hash", "block_height", "block_time", "shard_id",
          "predecessor_id", "receiver_id", "is_promise_resume", "data"}},
        {"events",
         {"receipt_id", "tree_id", "tx_hash", "block_height", "block_time", "index", "account_id", "standard",
          "version", "event", "data"}},
        {"orphan_receipts", {"kind", "id", "tree_id", "block_height", "block_time"}},
        {"pending_trees",
         {"tx_hash", "sender_id", "block_height", "block_hash", "block_time", "timestamp_nanosec",
          "shard_id"}},
        {"transaction_results",
         {"tx_hash",
          "tree_id",
          "block_height",
          "block_time",
          "signer_id",
          "receiver_id",
          "verdict",
          "error_class",
          "error_text",
          "included_height",
          "completed_height",
          "completed_time",
          "settled_height",
          "receipts",
          "failed_receipts",
          "gas_burnt",
          "tokens_burnt",
          "near_status",
          "near_status_receipt_id",
          "root_cause",
          "effect",
          "judged_by",
          "user_id",
          "method_name",
          "net_deposit",
          "gas_refunded",
          "deposit_refunded",
          "tokens_lost",
          "claimed_user_id"}},
        {"findings", finding_columns()},
        {"global_contract_distributions", distribution_columns()},
    }};
}

}  // namespace

const TableSpec& table_spec(Table table) {
    static const auto specs = make_specs();
    return specs[static_cast<std::size_t>(table)];
}

BlockRef block_ref(const BlockHeader& header) {
    return {header.height,      std::string(header.hash), std::string(header.prev_hash),
            header.prev_height, header.timestamp_nanosec, std::string(header.epoch_id)};
}

std::string& TableRows::piece() { return pieces.empty() ? pieces.emplace_back() : pieces.back(); }

std::uint64_t TableRows::bytes() const {
    std::uint64_t sum = 0;
    for (const auto& piece : pieces) sum += piece.size();
    return sum;
}

void TableRows::append(TableRows&& later) {
    pieces.insert(pieces.end(), std::make_move_iterator(later.pieces.begin()),
                  std::make_move_iterator(later.pieces.end()));
    rows += later.rows;
}

std::uint64_t RowBatch::rows() const {
    std::uint64_t sum = 0;
    for (const auto& table : tables) sum += table.rows;
    return sum;
}

std::uint64_t RowBatch::bytes() const {
    std::uint64_t sum = 0;
    for (const auto& table : tables) sum += table.bytes();
    return sum;
}

void DecidedCounts::add(const Decided& decided) {
    for (const auto& result : decided.results) ++verdicts[result.verdict];
    for (const auto& finding : decided.findings) ++findings[{finding.kind, finding.failure.error_class}];
}

void DecidedCounts::add(const DecidedCounts& other) {
    for (const auto& [verdict, count] : other.verdicts) verdicts[verdict] += count;
    for (const auto& [finding, count] : other.findings) findings[finding] += count;
    for (const auto& [reason, count] : other.withheld) withheld[reason] += count;
}

namespace {

bool is_before(ExecutedAt at, base::WallTime time) {
    return base::WallTime(base::Duration(at.timestamp_nanosec)) < time;
}

}  // namespace

void RowBatch::withhold_before(const NewsSince& news) {
    const auto is_old = [&](const Finding& finding) { return is_before(finding.at, news.time); };
    const auto old = std::erase_if(findings, is_old);
    if (old > 0) facts.decided.withheld[std::string(news.older_are)] += old;
    std::erase_if(happened.chosen,
                  [&](const Happening& each) { return is_before(each.receipt->at, news.time); });
    happened.since = std::max(happened.since, news.time);
    alerts_sent_since = news.sent_since;
}

void Happened::append(Happened&& later) {
    if (interest != later.interest) interest = nullptr;
    since = std::max(since, later.since);
    chosen.insert(chosen.end(), std::make_move_iterator(later.chosen.begin()),
                  std::make_move_iterator(later.chosen.end()));
}

void CommitFacts::saw_unreadable(BlockHeight height, const std::string& about,
                                 const std::vector<UnreadablePart>& parts) {
    constexpr std::size_t kMostNamed = 50;
    new_kinds.add(parts);
    std::size_t count = 0;
    for (const auto& part : parts)
        if (part.is_left_out && ++count <= kMostNamed)
            left_out.push_back({height, about + part.path, part.reason});
    if (count > kMostNamed)
        left_out.push_back(
            {height, about + "others", "so are " + std::to_string(count - kMostNamed) + " others"});
}

void CommitFacts::append(CommitFacts&& later) {
    hosts.merge(later.hosts);
    new_kinds.add(later.new_kinds);
    left_out.insert(left_out.end(), std::make_move_iterator(later.left_out.begin()),
                    std::make_move_iterator(later.left_out.end()));
    if (later.epoch) epoch = later.epoch;
    if (later.seam) seam = later.seam;
    scope_serial = std::min(scope_serial, later.scope_serial);
    if (blocks.empty())
        seen = std::move(later.seen);
    else
        seen.append(std::move(later.seen));
    decided.add(later.decided);
    late_trees.merge(later.late_trees);
    given_up.in_flight += later.given_up.in_flight;
    given_up.trees += later.given_up.trees;
    blocks.insert(blocks.end(), std::make_move_iterator(later.blocks.begin()),
                  std::make_move_iterator(later.blocks.end()));
    covered.add(later.covered);
    wanted.add(later.wanted);
}

void RowBatch::append(RowBatch&& other) {
    const bool is_first = rows() == 0;
    alerts_sent_since =
        is_first ? other.alerts_sent_since : std::min(alerts_sent_since, other.alerts_sent_since);
    for (std::size_t i = 0; i < kTableCount; ++i) tables[i].append(std::move(other.tables[i]));
    listed.insert(listed.end(), std::make_move_iterator(other.listed.begin()),
                  std::make_move_iterator(other.listed.end()));
    disowned.insert(disowned.end(), std::make_move_iterator(other.disowned.begin()),
                    std::make_move_iterator(other.disowned.end()));
    watches.insert(watches.end(), std::make_move_iterator(other.watches.begin()),
                   std::make_move_iterator(other.watches.end()));
    findings.insert(findings.end(), std::make_move_iterator(other.findings.begin()),
                    std::make_move_iterator(other.findings.end()));
    if (is_first)
        happened = std::move(other.happened);
    else
        happened.append(std::move(other.happened));
    facts.append(std::move(other.facts));
}

}  // namespace receiptd::chain
