#include "draw/grid.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace receiptd::draw {
namespace {

using chain::JudgedReceipt;
using chain::ShardId;

constexpr std::size_t kMostAccounts = 6;  // lanes

using RowKey = std::pair<Row::Kind, chain::BlockHeight>;

RowKey row_key(bool executed, const std::optional<chain::ExecutedAt>& at) {
    if (!executed) return {Row::Kind::pending, 0};
    if (!at || at->height == 0) return {Row::Kind::unknown_block, 0};
    return {Row::Kind::block, at->height};
}

class Rows {
public:
    void see(bool executed, const std::optional<chain::ExecutedAt>& at) {
        auto& time = times_[row_key(executed, at)];
        if (executed && at && at->timestamp_nanosec > 0) time = at->timestamp_nanosec;
    }
    std::size_t of(bool executed, const std::optional<chain::ExecutedAt>& at) const {
        const auto found = times_.find(row_key(executed, at));
        return static_cast<std::size_t>(std::distance(times_.begin(), found));
    }
    std::vector<Row> rows() const {
        std::vector<Row> rows;
        for (const auto& [key, time] : times_) {
            Row row;
            row.kind = key.first;
            row.height = key.second;
            row.timestamp_nanosec = time;
            const bool in_time = !rows.empty() && row.kind == Row::Kind::block;
            if (in_time) row.idle_before = row.height - rows.back().height - 1;
            rows.push_back(row);
        }
        return rows;
    }

private:
    std::map<RowKey, std::uint64_t> times_;
};

// Lanes in the order in which their keys are given.
class Shards {
public:
    void see(std::string_view account, const std::optional<ShardId>& shard) {
        if (!shard) return;
        known_.insert(*shard);
        if (!account.empty()) of_account_.try_emplace(account, *shard);
    }
    bool any() const { return !known_.empty(); }
    std::size_t of(std::string_view account, const std::optional<ShardId>& shard) {
        auto place = shard;
        const auto found = of_account_.find(account);
        if (!place && found != of_account_.end()) place = found->second;
        if (place) return static_cast<std::size_t>(std::distance(known_.begin(), known_.find(*place)));
        some_unknown_ = true;
        return known_.size();
    }
    std::vector<Lane> lanes() const {
        std::vector<Lane> lanes;
        for (const auto shard : known_) lanes.push_back({"shard " + std::to_string(shard)});
        if (some_unknown_) lanes.push_back({"shard not known"});
        return lanes;
    }

private:
    std::set<ShardId> known_;
    std::unordered_map<std::string_view, ShardId> of_account_;
    bool some_unknown_ = false;
};

class Accounts {
public:
    std::size_t of(std::string_view account) {
        const auto found = lanes_.find(account);
        if (found != lanes_.end()) return found->second;
        const auto lane = std::min(lanes_.size(), kMostAccounts);
        if (lane == names_.size())
            names_.push_back({lane == kMostAccounts ? "other accounts"
                              : account.empty()     ? "account not known"
                                                    : std::string(account)});
        lanes_.emplace(account, lane);
        return lane;
    }
    std::vector<Lane> lanes() const { return names_; }

private:
    std::unordered_map<std::string_view, std::size_t> lanes_;
    std::vector<Lane> names_;
};

}  // namespace

Grid make_grid(const std::optional<chain::TransactionFacts>& transaction, const chain::Judgement& tree,
               const std::vector<const JudgedReceipt*>& receipts) {
    Grid grid;
    Rows rows;
    Shards shards;
    const std::string_view signer =
        transaction ? std::string_view(transaction->signer_id) : std::string_view();
    const bool begins = tree.included || receipts.empty();
    if (begins) rows.see(tree.included, tree.included_at);
    shards.see(signer, tree.included_in_shard);
    for (const auto* receipt : receipts) {
        rows.see(receipt->executed, receipt->at);
        shards.see(receipt->receiver_id, receipt->shard_id);
    }
    grid.rows = rows.rows();
    grid.lanes_are_accounts = !shards.any();
    Accounts accounts;
    const auto lane_of = [&](std::string_view account, const std::optional<ShardId>& shard) {
        return grid.lanes_are_accounts ? accounts.of(account) : shards.of(account, shard);
    };
    // One that is not stored stands with the first receipts that are.
    const auto first_row = begins ? rows.of(tree.included, tree.included_at) : 0;
    grid.transaction = {first_row, lane_of(signer, tree.included_in_shard)};
    for (const auto* receipt : receipts)
        grid.receipts.push_back(
            {rows.of(receipt->executed, receipt->at), lane_of(receipt->receiver_id, receipt->shard_id)});
    grid.lanes = grid.lanes_are_accounts ? accounts.lanes() : shards.lanes();
    return grid;
}

}  // namespace receiptd::draw
