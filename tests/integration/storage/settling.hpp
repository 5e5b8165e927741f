// Blocks that are committed one by one, each with its seam closed.
#pragma once

#include "store_test_support.hpp"
#include "trees_on_paper.hpp"

namespace receiptd::test {

inline constexpr auto kHistory = base::WallTime::max();

class Settling : public StoreTest {
protected:
    void commit_and_settle(RowBatch batch, chain::NewsSince news_since = {kHistory}) {
        const auto height = batch.facts.blocks.front().height;
        commit(std::move(batch));
        await(store().orphans.adopt_orphans({height, height}));
        settle({height, height}, news_since);
    }
    void settle(base::HeightRange around, chain::NewsSince news_since = {kHistory}) {
        settled_.add(await(store().trees.settle_trees(around, news_since)));
    }
    std::vector<std::string> due() {
        std::vector<std::string> hashes;
        for (const auto& tree : await(store().trees.due_trees(10, base::kAllHeights)))
            hashes.push_back(tree.tx_hash);
        return hashes;
    }
    chain::DecidedCounts settled_;
};

}  // namespace receiptd::test
