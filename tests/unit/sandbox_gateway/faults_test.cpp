#include "sandbox/gateway/faults.hpp"

#include <gtest/gtest.h>

#include <map>

namespace receiptd::sandbox {
namespace {

TEST(FaultPlan, ReadsSharesByName) {
    const auto plan = parse_fault_plan("429:0.01,500:0.5,reset:0,stale:0.25");
    ASSERT_TRUE(plan.has_value());
    ASSERT_EQ(plan->size(), 4u);
    EXPECT_EQ((*plan)[0].fault, Fault::rate_limited);
    EXPECT_EQ((*plan)[3].share, 0.25);
    EXPECT_TRUE(parse_fault_plan("")->empty());
}

TEST(FaultPlan, SaysWhatIsWrong) {
    for (const auto* text :
         {"429", "429:", "429:x", "429:2", "429:-0.1", "fire:0.1", "429:0.6,500:0.6", ",", "429:0.1x"})
        EXPECT_TRUE(parse_fault_plan(text).has_error()) << text;
    EXPECT_NE(parse_fault_plan("fire:0.1").error().find("`fire`"), std::string::npos);
}

TEST(FaultDie, GivesTheSameRowForTheSameSeed) {
    const auto plan = *parse_fault_plan("429:0.1,reset:0.1,truncate:0.1");
    FaultDie one(plan, 7), same(plan, 7), other(plan, 8);
    bool differs = false;
    for (int i = 0; i < 1'000; ++i) {
        const Fault fault = one.roll();
        EXPECT_EQ(fault, same.roll());
        differs |= fault != other.roll();
    }
    EXPECT_TRUE(differs);
}

TEST(FaultDie, KeepsToTheShares) {
    FaultDie die(*parse_fault_plan("429:0.25,slow:0.05"), 3);
    std::map<Fault, int> counts;
    for (int i = 0; i < 20'000; ++i) ++counts[die.roll()];
    EXPECT_NEAR(counts[Fault::rate_limited], 5'000, 250);
    EXPECT_NEAR(counts[Fault::slow], 1'000, 150);
    EXPECT_EQ(counts[Fault::rate_limited] + counts[Fault::slow] + counts[Fault::none], 20'000);
}

}  // namespace
}  // namespace receiptd::sandbox
