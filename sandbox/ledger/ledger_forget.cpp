// A chain that keeps only its newest blocks, for runs of hours.
#include "sandbox/ledger/ledger.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace receiptd::sandbox {

namespace {

// Forgetting looks at every account that the forgotten blocks changed; many blocks at once cost little more.
constexpr std::size_t kBlocksAtOnce = 64;

}  // namespace

void Ledger::forget() {
    const std::size_t newest = store_.newest().ordinal, kept = options_.history_blocks;
    if (kept == 0 || newest <= kept || newest % kBlocksAtOnce != 0) return;
    oldest_ = store_.at_ordinal(newest - kept).height;
    forest_.forget_done_below(oldest_);
    submissions_.forget_while([&](const Submission& submission) {
        const CryptoHash& hash = submission.transaction->hash;
        if (submission.fate == Fate::pending || submission.fate_height >= oldest_ || forest_.tree(hash))
            return false;
        mempool_.forget_wishes(hash);
        return true;
    });
    const auto& trees = forest_.trees();
    store_.forget_below(trees.empty() ? oldest_ : std::min(oldest_, trees.front().included.height()));
    served_.erase(served_.begin(), served_.lower_bound(oldest_));
    for (Shard& shard : shards_) shard.state.forget_below(oldest_);
}

}  // namespace receiptd::sandbox
