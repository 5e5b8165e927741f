#include "watch/open_trees.hpp"

#include "unit/rpc/told_trees.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

namespace receiptd::watch {
namespace {

class TreesOfHosts : public ::testing::Test {
protected:
    chain::Judgement asked() {
        auto asking = trees_.tree("tx", "alice");
        auto answered = base::asio::co_spawn(context_, std::move(asking), base::asio::use_future);
        context_.restart();
        context_.run();
        clock_.passed += std::chrono::seconds(2);
        return answered.get().value().tree;
    }

    base::asio::io_context context_;
    rpc::testing::HandClock clock_;
    rpc::testing::ToldTrees hosts_{context_.get_executor()};
    base::asio::thread_pool cpu_{1};
    OpenTrees trees_{context_.get_executor(), cpu_, hosts_, clock_,
                     [] { return std::optional<chain::BlockHeight>(100); }};
};

TEST_F(TreesOfHosts, TellTheShardOfEachReceipt) {
    for (int again = 0; again < 2; ++again) {
        const auto tree = asked();
        EXPECT_EQ(tree.included_in_shard, 4u);
        EXPECT_EQ(tree.receipts.at(0).shard_id, 9u);
    }
    EXPECT_EQ(hosts_.layouts_asked.size(), 1u) << "one question for each epoch";
}

TEST_F(TreesOfHosts, AreToldWithoutShardsWhereNoHostHasTheLayout) {
    hosts_.layout.reset();
    const auto tree = asked();
    EXPECT_TRUE(tree.receipts.at(0).executed);
    EXPECT_EQ(tree.receipts.at(0).shard_id, std::nullopt);
}

}  // namespace
}  // namespace receiptd::watch
