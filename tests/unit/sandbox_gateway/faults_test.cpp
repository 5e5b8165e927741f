#include "sandbox/gateway/fault_json.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <map>

namespace receiptd::sandbox {
namespace {

using nlohmann::json;

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
        const Fault fault = one.roll().fault;
        EXPECT_EQ(fault, same.roll().fault);
        differs |= fault != other.roll().fault;
    }
    EXPECT_TRUE(differs);
}

TEST(FaultDie, KeepsToTheShares) {
    FaultDie die(*parse_fault_plan("429:0.25,slow:0.05"), 3);
    std::map<Fault, int> counts;
    for (int i = 0; i < 20'000; ++i) ++counts[die.roll().fault];
    EXPECT_NEAR(counts[Fault::rate_limited], 5'000, 250);
    EXPECT_NEAR(counts[Fault::slow], 1'000, 150);
    EXPECT_EQ(counts[Fault::rate_limited] + counts[Fault::slow] + counts[Fault::none], 20'000);
}

json rules(const char* text) { return json::parse(text); }

TEST(FaultRules, ReadsWhatAFaultNeeds) {
    const auto plan = read_fault_plan(rules(
        R"([{"fault":"stale","blocks":7},{"fault":"500","status":503,"share":0.5,"method":"tx"},
            {"fault":"wrong","share":0.5,"method":"block","answer":{"error":"UNKNOWN_BLOCK"}}])"));
    ASSERT_TRUE(plan.has_value()) << plan.error();
    FaultDie die(*plan, 1);
    EXPECT_EQ(die.roll("chunk").stale_blocks, 7u);
    EXPECT_EQ(die.roll("chunk").fault, Fault::none) << "the others are for tx and block";
    EXPECT_EQ(to_json(*plan)[1], rules(R"({"fault":"500","status":503,"share":0.5,"method":"tx"})"));
    EXPECT_EQ(to_json(*plan)[2]["answer"], rules(R"({"error":"UNKNOWN_BLOCK"})"));
}

TEST(FaultRules, SaysWhatIsWrongAndWhere) {
    const std::pair<const char*, const char*> cases[] = {
        {R"({})", "faults must be an array of objects"},
        {R"([{"fault":"reset"},{"fault":"fire"}])", "faults[1]: fault must be one of 429, 500, reset"},
        {R"([{"fault":"reset","share":2}])", "faults[0]: share must be a number from 0 to 1"},
        {R"([{"fault":"reset","blocks":2}])", "faults[0]: blocks must be left out"},
        {R"([{"fault":"500","status":399}])", "faults[0]: status must be 400 to 599"},
        {R"([{"fault":"stale","blocks":0}])", "faults[0]: blocks must be a whole number above 0"},
        {R"([{"fault":"wrong","answer":7}])", "faults[0]: answer must be \"other_block\""},
        {R"([{"fault":"reset","share":0.6},{"fault":"html","share":0.6,"method":"tx"}])",
         "faults: the shares add up to more than 1 for `tx`"},
    };
    for (const auto& [text, message] : cases) {
        const auto plan = read_fault_plan(rules(text));
        ASSERT_TRUE(plan.has_error()) << text;
        EXPECT_TRUE(plan.error().starts_with(message)) << plan.error();
    }
}

TEST(FaultDie, FlapsBetweenDeathAndLife) {
    FaultDie die(*read_fault_plan(rules(R"([{"fault":"flapping","requests":2}])")), 1);
    for (const Fault expected :
         {Fault::reset, Fault::reset, Fault::none, Fault::none, Fault::reset, Fault::reset, Fault::none})
        EXPECT_EQ(die.roll().fault, expected);
}

TEST(FaultDie, LeavesReceiptsOutBesidesOtherFaults) {
    FaultDie die(*read_fault_plan(rules(R"([{"fault":"without_receipts"},{"fault":"500","share":1}])")), 1);
    const auto trouble = die.roll("tx_status");
    EXPECT_TRUE(trouble.without_receipts);
    EXPECT_EQ(trouble.fault, Fault::server_error);
}

TEST(FaultDie, LeavesReceiptsOutOfChunksThatAreAskedForByName) {
    FaultDie die(*read_fault_plan(rules(R"([{"fault":"without_receipts","method":"chunk"}])")), 1);
    EXPECT_TRUE(die.roll("chunk").in_chunks);
    EXPECT_FALSE(die.roll("tx_status").without_receipts);
}

TEST(FaultDie, ChoosesByTheStartOfAPath) {
    FaultDie die(*read_fault_plan(rules(R"([{"fault":"reset","method":"/v0/"}])")), 1);
    EXPECT_EQ(die.roll("/v0/block/1").fault, Fault::reset);
    EXPECT_EQ(die.roll("block").fault, Fault::none);
}

}  // namespace
}  // namespace receiptd::sandbox
