// A service tells an outcome in a second block, too: for who follows both, it counts once.
#include "chain/rows/rows.hpp"
#include "chain/tree/lineage.hpp"
#include "chain/tree/live_trees.hpp"
#include "unit/chain/chain_builder.hpp"
#include "unit/chain/copy_reader.hpp"

#include <gtest/gtest.h>

#include <string>

namespace receiptd::chain {
namespace {

using testing::ChainBuilder;
using testing::read_rows;
using testing::swap_chain;

constexpr std::size_t kLength = 5;  // of the chain

struct Followed {
    RowBatch batch;
    std::size_t open_trees = 0;
    std::size_t on_their_way = 0;

    // Without places in a chunk: the order of a block's outcomes is not proven where one of another block is
    // told.
    std::string rows() const {
        std::string all;
        for (const auto table : {Table::transactions, Table::receipts, Table::data_receipts,
                                 Table::orphan_receipts, Table::transaction_results, Table::findings})
            for (const auto& row : read_rows(batch, table))
                for (const auto& [name, cell] : row.cells)
                    if (name != "index_in_chunk") all += name + '=' + cell.value_or("NULL") + '\n';
        return all;
    }
};

Followed follow(const ChainBuilder& chain) {
    Lineage lineage;
    LiveTrees live_trees;
    Followed followed;
    for (const auto& block : chain.blocks())
        followed.batch.append(whole_block_rows(block, std::nullopt, {}, lineage, &live_trees));
    followed.open_trees = live_trees.open_trees();
    followed.on_their_way = lineage.size();
    return followed;
}

// All that a block tells, so many blocks later.
void tell_again(ChainBuilder& chain, std::size_t at, std::size_t later) {
    for (auto height = chain.blocks().back().block.header.height; chain.blocks().size() <= at + later;)
        chain.add_block(++height, 2);
    for (std::size_t i = 0; i < 2; ++i) {
        const auto& told = chain.blocks()[at].shards[i];
        auto& again = chain.blocks()[at + later].shards[i];
        again.transactions.insert(again.transactions.end(), told.transactions.begin(),
                                  told.transactions.end());
        again.executed.insert(again.executed.end(), told.executed.begin(), told.executed.end());
    }
}

TEST(ToldAgain, CountsOnceWhereverItIs) {
    const auto expected = follow(swap_chain());
    for (std::size_t at = 0; at < kLength; ++at)
        for (std::size_t later = 1; later < 2 * kLength; ++later) {
            auto chain = swap_chain();
            tell_again(chain, at, later);
            const auto followed = follow(chain);
            EXPECT_EQ(followed.rows(), expected.rows()) << at << " again after " << later;
            EXPECT_TRUE(followed.batch.facts.late_trees.empty()) << at << " again after " << later;
            EXPECT_EQ(followed.open_trees, 0u) << at << " again after " << later;
            EXPECT_EQ(followed.on_their_way, 0u) << at << " again after " << later;
        }
}

TEST(ToldAgain, CountsOnceWithAllThatFollows) {
    const auto expected = follow(swap_chain());
    for (std::size_t from = 0; from < kLength; ++from)
        for (std::size_t later = 1; later < 2 * kLength; ++later) {
            auto chain = swap_chain();
            for (auto at = kLength; at-- > from;) tell_again(chain, at, later);
            const auto followed = follow(chain);
            EXPECT_EQ(followed.rows(), expected.rows()) << from << " again after " << later;
            EXPECT_EQ(followed.open_trees + followed.on_their_way, 0u) << from << " again after " << later;
        }
}

TEST(ToldAgain, IsAnotherExecutionWhereTheInitialReceiptIsAnotherOne) {
    auto chain = swap_chain();
    chain.add_block(15, 2).shards[0].transactions.push_back(
        testing::transaction("TX", "alice.near", "dex.near", "R2"));
    EXPECT_EQ(follow(chain).batch[Table::transactions].rows, 2u);
}

}  // namespace
}  // namespace receiptd::chain
