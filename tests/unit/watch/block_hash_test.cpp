// Block hashes of submissions that the chain does not have, or has elsewhere than a host told.
#include "unit/watch/tracker_fakes.hpp"

#include <gtest/gtest.h>

namespace receiptd::watch {
namespace {

using chain::Stage;
using testing::Life;
using testing::submission_with_used_nonce;

constexpr const char* kRefused =
    R"({"host":"regular, archival","error_class":"invalid_chain","error":"InvalidChain","block_hash_refused":true})";
constexpr const char* kRefusedByOne =
    R"({"host":"regular","error_class":"invalid_chain","error":"InvalidChain"})";

// The head is lower than this when a transaction is watched from height 90.
constexpr chain::BlockHeight kAboveItsBlock = 110;

// Good up to height 140, as its block hash is of height 89. Its key's nonce is not used.
storage::Watch& waiting_submission(Life& life, const char* objection) {
    auto& watch = submission_with_used_nonce(life, 100);
    life.hosts.told->nonce = 6;
    watch.transaction.block_hash = "hash";
    watch.transaction.block_hash_height = 89;
    watch.transaction.valid_until = 140;
    watch.transaction.objection = objection;
    return watch;
}

TEST(BlockHash, OfAForkThatLostIsAProofWhenTheChainHasAnotherBlockThere) {
    Life life;
    waiting_submission(life, kRefused);
    life.covered = life.final_height = kAboveItsBlock;
    life.start();
    ASSERT_TRUE(life.until([&] { return life.stage("tx") != Stage::accepted; }));
    EXPECT_EQ(life.stage("tx"), Stage::rejected);
    EXPECT_EQ(life.store.rows["tx"].state.reason, chain::reason::kInvalidChain);
    EXPECT_TRUE(life.store.rows["tx"].certainty.conclusive);
    EXPECT_EQ(life.store.rows["tx"].certainty.safe_to_resign_after_height, 0u);
    const auto& evidence = life.store.evidence["tx"];
    EXPECT_NE(evidence.find(R"("block_hash":"hash","block_hash_height":89,"agreed_height":110)"),
              std::string::npos)
        << evidence;
}

TEST(BlockHash, EndsNothingByTheWordOfOneHost) {
    Life life;
    waiting_submission(life, kRefusedByOne);
    life.covered = life.final_height = kAboveItsBlock;
    life.start();
    ASSERT_TRUE(life.until([&] { return life.store.rows["tx"].checks > 0; }));
    EXPECT_EQ(life.stage("tx"), Stage::accepted);
}

TEST(BlockHash, EndsNothingWhereTheChainWasNotLookedAt) {
    Life life;
    waiting_submission(life, kRefused);
    life.final_height = 88;
    life.start();
    ASSERT_TRUE(life.until([&] { return life.hosts.sender_asked > 0; }));
    EXPECT_EQ(life.stage("tx"), Stage::accepted) << "the hosts do not agree on that height yet";
}

// A liar tells a false height and InvalidChain, and a host that lags tells Expired as it does not know the
// block yet.
TEST(BlockHash, OfABlockThatOneHostAloneKnowsYetEndsNothing) {
    Life life;
    waiting_submission(life, kRefused);
    life.covered = life.final_height = kAboveItsBlock - 1;
    life.start();
    ASSERT_TRUE(life.until([&] { return life.store.rows["tx"].checks > 0; }));
    EXPECT_EQ(life.stage("tx"), Stage::accepted) << "it may be of the newest block";
    life.blocks["hash"] = life.covered.emplace(kAboveItsBlock);
    life.final_height = kAboveItsBlock;
    life.clock.passed += std::chrono::minutes(2);
    ASSERT_TRUE(life.until([&] { return life.store.rows["tx"].transaction.block_hash_height == 110u; }));
    EXPECT_EQ(life.stage("tx"), Stage::accepted);
}

TEST(BlockHash, EndsNothingWhereAHeightThatItMayBeOfIsMissing) {
    Life life;
    waiting_submission(life, kRefused);
    life.final_height = life.covered.emplace(kAboveItsBlock);
    life.stored = base::HeightSet({0, kAboveItsBlock});
    life.stored->subtract({100, 100});
    life.start();
    ASSERT_TRUE(life.until([&] { return life.store.rows["tx"].checks > 0; }));
    EXPECT_EQ(life.stage("tx"), Stage::accepted);
}

TEST(BlockHash, OfTheChainEndsNothing) {
    Life life;
    waiting_submission(life, kRefused);
    life.covered = life.final_height = kAboveItsBlock;
    life.blocks["hash"] = 89;
    life.start();
    ASSERT_TRUE(life.until([&] { return life.store.rows["tx"].checks > 0; }));
    EXPECT_EQ(life.stage("tx"), Stage::accepted);
}

TEST(BlockHash, IsGoodAsLongAsTheChainSaysWhateverHeightAHostTold) {
    for (const chain::BlockHeight told : {20, 1'000'000}) {
        Life life;
        auto& watch = waiting_submission(life, "");
        watch.transaction.block_hash_height = told;
        watch.transaction.valid_until = told + 51;
        life.blocks["hash"] = 89;
        life.start();
        ASSERT_TRUE(life.until([&] { return life.store.rows["tx"].transaction.block_hash_height == 89; }));
        EXPECT_EQ(life.store.rows["tx"].transaction.valid_until, 140u);
        EXPECT_EQ(life.store.rows["tx"].certainty.safe_to_resign_after_height, 140u);
        EXPECT_EQ(life.stage("tx"), Stage::accepted) << "not over at " << told + 51;
        life.covered = life.final_height = 140;
        life.clock.passed += std::chrono::minutes(2);
        EXPECT_TRUE(life.until([&] { return life.stage("tx") == Stage::expired; }));
    }
}

}  // namespace
}  // namespace receiptd::watch
