// A hash that is executed again: memory does not tell its executions apart, and says so.
#include "chain/tree/live_trees.hpp"
#include "chain_builder.hpp"

#include <gtest/gtest.h>

namespace receiptd::chain {
namespace {

using testing::action_receipt;

class LiveExecutions : public ::testing::Test {
protected:
    Decided transaction(Text initial) {
        const auto item = testing::transaction("T", "alice.near", "dex.near", initial);
        live_.transaction(item.transaction, *item.outcome, at());
        return end();
    }
    Decided executed(Text id, Role role, List<Text> children = {}) {
        const auto item = testing::executed(action_receipt(id, "alice.near", "dex.near", "alice.near"),
                                            std::move(children));
        live_.executed("T", {{}, item.receipt, item.outcome, role}, at());
        return end();
    }

    LiveTrees live_;

private:
    ExecutedAt at() const { return {height_, height_}; }
    Decided end() {
        ++height_;
        return live_.end_of_block();
    }
    BlockHeight height_ = 10;
};

TEST_F(LiveExecutions, OfWhichTheFirstIsOverAreJudgedEach) {
    for (const Text initial : {"A", "A2"}) {
        EXPECT_TRUE(transaction(initial).empty());
        EXPECT_EQ(executed(initial, Role::initial).results.size(), 1u);
    }
    EXPECT_TRUE(live_.take_late().empty());
}

TEST_F(LiveExecutions, OfWhichTheFirstIsNotOverAreLate) {
    EXPECT_TRUE(transaction("A").empty());
    EXPECT_TRUE(transaction("A2").empty());
    EXPECT_EQ(live_.take_late(), std::vector<std::string>{"T"});
    for (const Text initial : {"A", "A2"}) {
        EXPECT_TRUE(executed(initial, Role::initial).empty());
        EXPECT_EQ(live_.take_late(), std::vector<std::string>{"T"});
    }
    EXPECT_EQ(live_.open_trees(), 0u);
}

TEST_F(LiveExecutions, DoNotEndByReceiptsOfOneThatWasGivenUp) {
    EXPECT_TRUE(transaction("A").empty());
    live_.forget("T", true);
    EXPECT_EQ(live_.take_late().size(), 1u);
    EXPECT_TRUE(transaction("A2").empty());
    EXPECT_TRUE(executed("A", Role::initial).empty()) << "one announced, one executed, but another one";
    EXPECT_EQ(live_.take_late(), std::vector<std::string>{"T"});
}

TEST_F(LiveExecutions, AreLateWhenMoreRanThanOneAnnounced) {
    EXPECT_TRUE(transaction("A").empty());
    live_.forget("T", true);
    EXPECT_TRUE(transaction("A2").empty());
    EXPECT_TRUE(executed("A2", Role::initial, {"P2"}).empty());
    live_.take_late();
    EXPECT_TRUE(executed("P", Role::promise).empty());
    EXPECT_EQ(live_.take_late(), std::vector<std::string>{"T"});
}

}  // namespace
}  // namespace receiptd::chain
