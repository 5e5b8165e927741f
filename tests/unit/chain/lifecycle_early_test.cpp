// Inclusions in blocks that are not final yet: confirmed by the final block, or taken back.
#include "chain/tree/lifecycle.hpp"

#include <gtest/gtest.h>

#include <random>

namespace receiptd::chain {
namespace {

SeenEarly in_block(const std::string& hash, BlockHeight height) {
    return {{{height, height * 1'000}, hash}, "regular"};
}

TreeSeen included(BlockHeight height) {
    TreeSeen seen;
    seen.included_at = ExecutedAt{height, height * 1'000};
    return seen;
}

NotIncludedUpTo in_none_up_to(BlockHeight height, const std::string& missing = {}) {
    NotIncludedUpTo seen;
    seen.height = height;
    seen.missing = missing;
    return seen;
}

class EarlyLife {
public:
    EarlyLife() {
        transaction.tx_hash = "TX";
        transaction.watched_since = 100;
        transaction.valid_until = 200;
    }
    EarlyLife& sees(const Observation& observation) {
        for (auto& transition : step(state, transaction, observation, LifecycleRules()))
            transitions.push_back(std::move(transition));
        return *this;
    }
    // "included(A)": not final; "+A": confirmed; "-A": retracted; others by their stage.
    std::string path() const {
        std::string text;
        for (const auto& each : transitions) {
            const auto block = each.inclusion_id.empty() ? std::string() : each.inclusion_id.substr(3);
            text += text.empty() ? "" : " ";
            if (each.confirms())
                text += "+" + block;
            else if (each.retracts())
                text += "-" + block;
            else
                text += std::string(stage_name(each.to)) + (block.empty() ? "" : "(" + block + ")");
        }
        return text;
    }

    WatchedTransaction transaction;
    WatchState state;
    std::vector<Transition> transitions;
};

TEST(EarlyInclusion, IsToldOnceWithItsBlockAndIsNotFinal) {
    EarlyLife life;
    life.sees(NoObjection{"regular"})
        .sees(in_block("A", 110))
        .sees(in_block("A", 110))
        .sees(in_block("B", 111));
    EXPECT_EQ(life.path(), "pending included(A)");
    const auto& told = life.transitions.back();
    EXPECT_EQ(told.final, false);
    EXPECT_EQ(told.inclusion_id, "TX:A");
    EXPECT_EQ(told.at->height, 110u);
    EXPECT_EQ(told.evidence, R"({"host":"regular","block_hash":"A","block_height":110})");
    EXPECT_EQ(is_final_inclusion(life.state), false);
    const auto sure = certainty(life.state, 200);
    EXPECT_FALSE(sure.conclusive);
    EXPECT_EQ(sure.safe_to_resign_after_height, 200u) << "a fork may still take it back";
}

TEST(EarlyInclusion, IsConfirmedByTheFinalBlock) {
    EarlyLife life;
    life.sees(in_block("A", 110)).sees(included(110));
    EXPECT_EQ(life.path(), "included(A) +A");
    EXPECT_EQ(life.transitions.back().final, true);
    EXPECT_EQ(is_final_inclusion(life.state), true);
    EXPECT_TRUE(certainty(life.state, 200).conclusive);
    life.sees(included(110)).sees(in_block("A", 110));
    EXPECT_EQ(life.transitions.size(), 2u);
}

TEST(EarlyInclusion, IsTakenBackWhereTheChainHasAnotherBlock) {
    EarlyLife life;
    life.sees(in_block("A", 110)).sees(EarlyBlockLost{});
    EXPECT_EQ(life.path(), "included(A) -A");
    EXPECT_FALSE(life.transitions.back().final);
    EXPECT_FALSE(life.transitions.back().at) << "no block proves it";
    EXPECT_EQ(life.state.stage, Stage::pending);
    life.sees(EarlyBlockLost{}).sees(in_block("B", 112)).sees(included(112));
    EXPECT_EQ(life.path(), "included(A) -A included(B) +B");
}

TEST(EarlyInclusion, ThatIsFinalInAnotherBlockIsAnotherInclusion) {
    EarlyLife life;
    life.sees(in_block("A", 110)).sees(included(111));
    EXPECT_EQ(life.path(), "included(A) -A included");
    EXPECT_EQ(life.transitions.back().final, true);
}

TEST(EarlyInclusion, EndsBeforeTheTransactionDoes) {
    EarlyLife life;
    life.sees(in_block("A", 110)).sees(in_none_up_to(109));
    EXPECT_EQ(life.path(), "included(A)") << "nothing is known of that height";
    life.sees(in_none_up_to(205));
    EXPECT_EQ(life.path(), "included(A) -A expired");
}

TEST(EarlyInclusion, MayBeInAHeightThatNobodyShowsYet) {
    EarlyLife life;
    life.sees(in_block("A", 110)).sees(in_none_up_to(150, "110"));
    EXPECT_EQ(life.path(), "included(A)");
    life.sees(in_none_up_to(205, "110"));
    EXPECT_EQ(life.path(), "included(A) -A unknown");
}

TEST(EarlyInclusion, IsTakenBackWhereTheBlockFoundTheTransactionInvalid) {
    EarlyLife life;
    life.sees(in_block("A", 110));
    auto invalid = included(110);
    invalid.is_invalid = true;
    LifecycleRules rules;
    rules.looked_through = 120;
    const auto made = step(life.state, life.transaction, invalid, rules);
    ASSERT_EQ(made.size(), 1u);
    EXPECT_TRUE(made[0].retracts()) << "another block may execute it";
}

TEST(EarlyInclusion, LeavesEndsAlone) {
    EarlyLife life;
    life.sees(in_none_up_to(205)).sees(in_block("A", 110));
    EXPECT_EQ(life.path(), "expired") << "only the chain takes an end back";
}

// Whatever comes in whatever order: each is confirmed or taken back, once, before anything else happens.
TEST(EarlyInclusion, IsNeverLeftOpenInAnyOrder) {
    std::mt19937_64 chance(46);
    for (int life_number = 0; life_number < 2'000; ++life_number) {
        EarlyLife life;
        BlockHeight height = 110;
        for (int i = 0; i < 30; ++i) {
            height += chance() % 3;
            const auto hash = std::string(1, static_cast<char>('A' + chance() % 5)) + std::to_string(height);
            switch (chance() % 6) {
                case 0:
                case 1: life.sees(in_block(hash, height)); break;
                case 2: life.sees(EarlyBlockLost{}); break;
                case 3: life.sees(included(height)); break;
                case 4: life.sees(in_none_up_to(height, chance() % 2 ? "" : "115")); break;
                default: life.sees(Refused{"expired", "{}", "regular"}); break;
            }
        }
        std::string open;
        for (const auto& each : life.transitions) {
            if (each.final == false) {
                EXPECT_EQ(open, "") << life.path();
                open = each.inclusion_id;
            } else if (!each.inclusion_id.empty()) {
                EXPECT_EQ(open, each.inclusion_id) << life.path();
                open.clear();
            } else {
                EXPECT_EQ(open, "") << life.path();
            }
        }
        EXPECT_EQ(open.empty(), !life.state.early) << life.path();
    }
}

}  // namespace
}  // namespace receiptd::chain
