#include "rule/lists.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::rule {
namespace {

using ::testing::ElementsAre;

Lists two() { return Lists({{"hot", {"a.near", "b.near", "a.near"}}, {"cold", {"b.near"}}}); }

TEST(Lists, TellWhichOfThemHoldAnAccount) {
    const auto lists = two();
    EXPECT_THAT(lists.names(), ElementsAre("hot", "cold"));
    EXPECT_THAT(lists.of("a.near"), ElementsAre(0));
    EXPECT_THAT(lists.of("b.near"), ElementsAre(0, 1));
    EXPECT_THAT(lists.of("c.near"), ElementsAre());
    EXPECT_TRUE(lists.contains("cold", "b.near"));
    EXPECT_FALSE(lists.contains("cold", "a.near"));
    EXPECT_FALSE(lists.contains("absent", "a.near"));
}

TEST(Lists, ASuccessorDiffersInOneAccountAndTheFirstStaysAsItWas) {
    const auto first = two();
    const auto second = first.with("cold", "a.near").without("hot", "b.near").with("new", "c.near");
    EXPECT_THAT(second.of("a.near"), ElementsAre(0, 1));
    EXPECT_THAT(second.of("b.near"), ElementsAre(1));
    EXPECT_THAT(second.of("c.near"), ElementsAre(2));
    EXPECT_THAT(second.names(), ElementsAre("hot", "cold", "new"));
    EXPECT_THAT(first.of("a.near"), ElementsAre(0));
    EXPECT_THAT(first.of("c.near"), ElementsAre());
}

TEST(Lists, WhatIsSoAlreadyChangesNothing) {
    const auto lists = two().with("hot", "a.near").without("cold", "a.near").without("absent", "a.near");
    EXPECT_THAT(lists.of("a.near"), ElementsAre(0));
    EXPECT_THAT(lists.names(), ElementsAre("hot", "cold"));
}

TEST(Lists, OfTwoWithOneNameTheLaterOneCounts) {
    const Lists lists({{"hot", {"a.near"}}, {"hot", {"b.near"}}});
    EXPECT_FALSE(lists.contains("hot", "a.near"));
    EXPECT_TRUE(lists.contains("hot", "b.near"));
}

TEST(Lists, ManyChangesAreAllKept) {
    auto lists = two();
    for (int i = 0; i < 3'000; ++i) lists = lists.with("hot", "x" + std::to_string(i) + ".near");
    for (int i = 0; i < 3'000; i += 2) lists = lists.without("hot", "x" + std::to_string(i) + ".near");
    for (int i = 0; i < 3'000; ++i)
        ASSERT_EQ(lists.contains("hot", "x" + std::to_string(i) + ".near"), i % 2 == 1) << i;
    EXPECT_TRUE(lists.contains("cold", "b.near"));
}

}  // namespace
}  // namespace receiptd::rule
