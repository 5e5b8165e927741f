// Blocks that lose against a later one, and what is left of them.
#include "random_traffic.hpp"

namespace receiptd::sandbox {
namespace {

using sim::Json;

struct Fork : testing::Test {
    TestChain chain;

    Fork() { chain.produce(5); }
    const Ledger& ledger() const { return *chain.ledger; }
    std::string hash_at(Height height) const { return chain.block(height).at("header").at("hash"); }
    Height included(const std::string& transaction) const {
        return chain.truth(transaction).at("heights").at("included");
    }
};

TEST_F(Fork, IsTheHeadUntilTheBlockAfterItNamesItsParent) {
    chain.ledger->fork(2);
    chain.produce(2);
    EXPECT_EQ(ledger().tip(), 1'007U);
    EXPECT_EQ(chain.block(1'007).at("header").at("prev_hash"), hash_at(1'006));
    chain.produce();
    const Json header = chain.block(1'008).at("header");
    EXPECT_EQ(header.at("prev_hash"), hash_at(1'005));
    EXPECT_EQ(header.at("prev_height"), 1'005);
    EXPECT_EQ(header.at("block_ordinal"), 7);
    EXPECT_FALSE(ledger().has_block(1'006));
    EXPECT_FALSE(ledger().has_block(1'007));
    EXPECT_EQ(ledger().whole_block(1'007), nullptr);
}

TEST_F(Fork, IsKnownByHashesAloneOnceItHasLost) {
    chain.ledger->fork();
    chain.produce();
    const Json lost = chain.block(1'006);
    const std::string hash = lost.at("header").at("hash");
    EXPECT_FALSE(ledger().lost_block(hash)) << "it is on the chain still";
    chain.produce();
    EXPECT_FALSE(ledger().height_of_block(hash));
    ASSERT_TRUE(ledger().lost_block(hash));
    EXPECT_EQ(Json::parse(ledger().lost_block(hash)->json), lost);
    EXPECT_EQ(ledger().lost_block(hash)->height, 1'006U);
    EXPECT_TRUE(ledger().chunk(lost.at("chunks").at(0).at("chunk_hash").get<std::string>()));
    EXPECT_FALSE(ledger().lost_block(hash_at(1'005)));
}

TEST_F(Fork, GivesItsTransactionsBack) {
    const std::string hash = chain.send(chain.transfer("alice.sandbox", "bob.sandbox", kToken));
    chain.ledger->fork();
    chain.produce();
    EXPECT_EQ(included(hash), 1'006U);
    EXPECT_EQ(ledger().execution_level(hash, 1'006), ExecutionLevel::included);
    chain.produce();
    EXPECT_EQ(included(hash), 1'007U);
    EXPECT_EQ(chain.tx(hash).at("transaction_outcome").at("block_hash"), hash_at(1'007));
    chain.produce(5);
    EXPECT_EQ(chain.truth(hash).at("stage"), "final");
    EXPECT_EQ(chain.balance("bob.sandbox"), 10'001 * kToken);
    EXPECT_TRUE(ledger().check().ok()) << ledger().check().to_json();
}

TEST_F(Fork, ReceiptsThatItExecutedRunAnewWithOtherChildren) {
    const std::string hash = chain.send(chain.transfer("alice.sandbox", "bob.sandbox", kToken));
    chain.produce();
    chain.ledger->fork();
    chain.produce();
    const Json in_fork = chain.tx(hash).at("receipts_outcome").at(0);
    EXPECT_EQ(in_fork.at("block_hash"), hash_at(1'007));
    chain.produce(2);
    const Json anew = chain.tx(hash).at("receipts_outcome").at(0);
    EXPECT_EQ(anew.at("block_hash"), hash_at(1'008));
    EXPECT_EQ(anew.at("id"), in_fork.at("id"));
    EXPECT_NE(anew.at("outcome").at("receipt_ids"), in_fork.at("outcome").at("receipt_ids"));
    EXPECT_EQ(chain.truth(hash).at("tree").at(1).at("executed_height"), 1'009);
}

TEST_F(Fork, TakesNothingBackThatWasToldAsFinal) {
    chain.ledger->fork(2);
    chain.produce(2);
    EXPECT_EQ(ledger().final_head(1'007), 1'005U);
    EXPECT_EQ(ledger().near_final_head(1'007), 1'006U);
    for (Height height = 1'008; height <= 1'009; ++height) {
        chain.produce();
        EXPECT_EQ(ledger().final_head(height), 1'005U);
        EXPECT_GE(ledger().near_final_head(height), 1'005U);
    }
    chain.produce();
    EXPECT_EQ(ledger().final_head(1'010), 1'008U);
}

TEST_F(Fork, ATransactionOnALostBlockNeverComes) {
    chain.ledger->fork();
    chain.produce();
    const auto transaction = chain.transfer("alice.sandbox", "bob.sandbox", kToken);
    const std::string hash = chain.send(transaction);
    chain.ledger->delay(hash, 3);
    chain.produce();
    EXPECT_EQ(ledger().validate(transaction, ledger().tip()), Json("InvalidChain"));
    EXPECT_EQ(chain.truth(hash).at("stage"), "dropped");
    EXPECT_EQ(chain.truth(hash).at("evidence"), Json({{"InvalidTxError", "InvalidChain"}}));
}

TEST_F(Fork, WhatWasSupersededInItIsJudgedAnew) {
    const std::string early = chain.send(chain.transfer("alice.sandbox", "bob.sandbox", 1, 1));
    const std::string late = chain.send(chain.transfer("alice.sandbox", "bob.sandbox", 2, 1));
    chain.ledger->fork();
    chain.produce();
    EXPECT_EQ(chain.truth(late).at("reason"), "superseded");
    EXPECT_EQ(chain.truth(late).at("heights").at("ended"), 1'006);
    chain.produce();
    EXPECT_EQ(included(early), 1'007U);
    EXPECT_EQ(chain.truth(late).at("reason"), "superseded");
    EXPECT_EQ(chain.truth(late).at("heights").at("ended"), 1'007);
}

TEST(Forks, LeaveAChainThatHoldsTogether) {
    LedgerOptions options = test_options();
    options.missing_chunk_probability = 0.1;
    options.skipped_height_probability = 0.1;
    TestChain chain(std::move(options));
    RandomTraffic traffic(chain, 11);
    for (int i = 0; i < 120; ++i) {
        if (i % 5 == 0) chain.ledger->fork(1 + i % 2);
        for (int each = 0; each < 3; ++each) chain.send(traffic.next());
        chain.produce();
    }
    chain.produce(30);
    const CheckReport report = chain.ledger->check();
    EXPECT_TRUE(report.ok()) << report.to_json();
    EXPECT_GT(report.transactions, 100U);
    EXPECT_EQ(report.receipts, report.executed);
    EXPECT_EQ(chain.ledger->pending_transactions(), 0U);
}

TEST(Forks, OfOneSeedAreTheSame) {
    const auto dump = [] {
        TestChain chain;
        RandomTraffic traffic(chain, 12);
        for (int i = 0; i < 20; ++i) {
            if (i % 4 == 0) chain.ledger->fork();
            chain.send(traffic.next());
            chain.produce();
        }
        return *chain.ledger->whole_block(chain.ledger->tip()) + chain.ledger->truth(0, 2'000).dump();
    };
    EXPECT_EQ(dump(), dump());
}

}  // namespace
}  // namespace receiptd::sandbox
