// A chain that keeps only its newest blocks answers as one that keeps all, but for what it forgot.
#include "random_traffic.hpp"

#include <set>

namespace receiptd::sandbox {
namespace {

constexpr std::uint64_t kHistory = 130;

LedgerOptions with_history(std::uint64_t blocks) {
    LedgerOptions options = test_options();
    options.validity_blocks = 30;
    options.history_blocks = blocks;
    options.missing_chunk_probability = 0.1;
    options.skipped_height_probability = 0.05;
    for (GenesisAccount& account : options.accounts) account.amount = 1'000'000 * kToken;
    return options;
}

// The same transactions between the same blocks on both; what was sent first comes first.
std::vector<std::string> run(TestChain& chain, int blocks) {
    RandomTraffic traffic(chain, 7);
    std::vector<std::string> sent;
    for (int i = 0; i < blocks; ++i) {
        for (int n = 0; n < 2; ++n) sent.push_back(chain.send(traffic.next()));
        chain.produce();
    }
    return sent;
}

TEST(Forgetting, ChangesNothingInWhatIsKept) {
    TestChain all(with_history(0)), some(with_history(kHistory));
    run(all, 330);
    run(some, 330);
    const Height tip = all.ledger->tip(), oldest = some.ledger->oldest();
    ASSERT_EQ(some.ledger->tip(), tip);
    EXPECT_GT(oldest, tip - 2 * kHistory);
    for (Height height = oldest; height <= tip; ++height) {
        EXPECT_TRUE(some.ledger->block(height) == all.ledger->block(height)) << height;
        if (!all.ledger->has_block(height)) continue;
        EXPECT_TRUE(*some.ledger->whole_block(height) == *all.ledger->whole_block(height)) << height;
        for (const char* account : {"alice.sandbox", "ft.sandbox"})
            EXPECT_EQ(some.ledger->view_account(account, height), all.ledger->view_account(account, height))
                << height;
        EXPECT_EQ(some.ledger->changes_in_block(height), all.ledger->changes_in_block(height)) << height;
    }
    EXPECT_TRUE(some.ledger->truth(oldest, tip) == all.ledger->truth(oldest, tip));
    EXPECT_EQ(some.ledger->validators(tip), all.ledger->validators(tip));
    const CheckReport report = some.ledger->check();
    EXPECT_TRUE(report.ok()) << report.to_json().dump(1);
    EXPECT_LT(report.blocks, 2 * kHistory);
    EXPECT_LT(report.transactions, 2 * kHistory * 2);
    EXPECT_GT(report.proofs, 0u);
}

TEST(Forgetting, ChangesNoProof) {
    TestChain all(with_history(0)), some(with_history(kHistory));
    const auto sent = run(all, 330);
    run(some, 330);
    std::size_t proofs = 0;
    for (std::size_t i = sent.size() - 2 * kHistory; i < sent.size(); ++i) {
        LightClientRequest request;
        request.is_transaction = true;
        request.id = sent[i];
        request.light_client_head = all.ledger->tip();
        const auto proof = all.ledger->light_client_proof(request);
        EXPECT_TRUE(some.ledger->light_client_proof(request) == proof) << sent[i];
        proofs += std::holds_alternative<Json>(proof) ? 1 : 0;
    }
    EXPECT_GT(proofs, kHistory);
}

TEST(Forgetting, LeavesGenesisAndTheHashOfEachBlock) {
    TestChain chain(with_history(kHistory));
    const std::string genesis = *chain.ledger->block(chain.ledger->first());
    const auto sent = run(chain, 330);
    EXPECT_TRUE(chain.ledger->block(chain.ledger->first()) == genesis);
    const Height oldest = chain.ledger->oldest();
    EXPECT_FALSE(chain.ledger->has_block(chain.ledger->first() + 100));
    EXPECT_EQ(chain.ledger->transaction(sent.front(), chain.ledger->tip()), std::nullopt);
    EXPECT_EQ(chain.ledger->truth_of(sent.front()), std::nullopt);
    EXPECT_EQ(chain.ledger->back(chain.ledger->tip(), 100'000), oldest);
}

TEST(Forgetting, SparesATransactionThatIsUnderWay) {
    TestChain chain(with_history(kHistory));
    const std::string slow = chain.send(chain.call("alice.sandbox", "script.sandbox", "keep"));
    const auto shard = chain.shard_id_of("script.sandbox");
    chain.produce();
    for (int i = 0; i < 270; ++i) {
        chain.ledger->congest(shard, 2);
        chain.ledger->withhold_chunk(shard);
        chain.produce();
    }
    const auto kept = chain.ledger->truth_of(slow);
    ASSERT_TRUE(kept);
    EXPECT_EQ(kept->at("stage"), "included") << kept->dump(1);
    chain.produce(30);
    EXPECT_EQ(chain.ledger->truth_of(slow)->at("stage"), "final");
    chain.produce(260);
    EXPECT_EQ(chain.ledger->truth_of(slow), std::nullopt);
}

TEST(Forgetting, GoesWithNoForkAndKeepsTheValidityWindow) {
    TestChain chain(with_history(kHistory));
    EXPECT_THROW(chain.ledger->fork(), std::logic_error);
    EXPECT_THROW(TestChain(with_history(129)), std::invalid_argument);
}

}  // namespace
}  // namespace receiptd::sandbox
