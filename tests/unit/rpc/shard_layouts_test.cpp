#include "rpc/shard_layouts.hpp"

#include "unit/rpc/told_trees.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <future>

namespace receiptd::rpc {
namespace {

class LayoutsOfEpochs : public ::testing::Test {
protected:
    std::shared_ptr<const chain::ShardLayout> of(base::Height height, const std::string& epoch_id) {
        chain::BlockRef block;
        block.height = height;
        block.epoch_id = epoch_id;
        auto asked = layouts_.of(std::move(block), ShardLayouts::Witness{"alice", 4}, Priority::watch);
        auto answered = base::asio::co_spawn(context_, std::move(asked), base::asio::use_future);
        context_.restart();
        context_.run();
        return answered.get();
    }

    base::asio::io_context context_;
    testing::HandClock clock_;
    testing::ToldTrees hosts_{context_.get_executor()};
    ShardLayouts layouts_{context_.get_executor(), hosts_, clock_};
};

TEST_F(LayoutsOfEpochs, AreAskedForOnce) {
    EXPECT_EQ(of(100, "first")->shard_of("b"), 9u);
    EXPECT_EQ(of(170, "first")->shard_of("z"), 2u);
    of(200, "second");
    const std::vector<std::pair<base::Height, std::string>> once_each{{100, "alice"}, {200, "alice"}};
    EXPECT_EQ(hosts_.layouts_asked, once_each);
}

TEST_F(LayoutsOfEpochs, ThatNobodyTellsAreAskedForAgainAfterAMinute) {
    hosts_.layout.reset();
    EXPECT_EQ(of(100, "first"), nullptr);
    EXPECT_EQ(of(101, "first"), nullptr);
    EXPECT_EQ(hosts_.layouts_asked.size(), 1u);
    hosts_.layout = chain::ShardLayout{{}, {3}};
    clock_.passed += std::chrono::seconds(61);
    EXPECT_EQ(of(102, "first")->shard_of("alice"), 3u);
}

TEST_F(LayoutsOfEpochs, ThatABlockContradictsAreAskedForAgain) {
    hosts_.layout = chain::ShardLayout{{}, {3}};
    EXPECT_EQ(of(100, "first")->shard_of("alice"), 3u) << "the fake does not look at its witness";
    hosts_.layout = chain::ShardLayout{{"b"}, {4, 9}};
    EXPECT_EQ(of(101, "first")->shard_of("zoe"), 9u);
    EXPECT_EQ(of(102, "first")->shard_of("zoe"), 9u);
    EXPECT_EQ(hosts_.layouts_asked.size(), 2u);
}

TEST_F(LayoutsOfEpochs, AreNotAskedForWithoutAnEpoch) {
    EXPECT_EQ(of(100, ""), nullptr);
    EXPECT_TRUE(hosts_.layouts_asked.empty());
}

TEST_F(LayoutsOfEpochs, AreAskedForOnceByManyAtATime) {
    std::vector<std::future<std::shared_ptr<const chain::ShardLayout>>> answers;
    for (int i = 0; i < 5; ++i) {
        chain::BlockRef block;
        block.epoch_id = "first";
        auto asked = layouts_.of(std::move(block), std::nullopt, Priority::watch);
        answers.push_back(base::asio::co_spawn(context_, std::move(asked), base::asio::use_future));
    }
    context_.run();
    for (auto& answer : answers) EXPECT_TRUE(answer.get());
    EXPECT_EQ(hosts_.layouts_asked.size(), 1u);
}

}  // namespace
}  // namespace receiptd::rpc
