// Transactions on their way into a chunk, and those that get lost on it.
#include "test_chain.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::sandbox {
namespace {

using sim::Json;

TEST(Mempool, IncludesTheNoncesOfAKeyInOrderHoweverTheyCame) {
    TestChain chain;
    const std::string third = chain.send(chain.transfer("alice.sandbox", "bob.sandbox", 1, 3));
    const std::string first = chain.send(chain.transfer("alice.sandbox", "bob.sandbox", 1, 1));
    const std::string second = chain.send(chain.transfer("alice.sandbox", "bob.sandbox", 1, 2));
    chain.produce();
    for (const std::string& hash : {first, second, third})
        EXPECT_EQ(chain.truth(hash).at("heights").at("included"), 1'001);
    EXPECT_EQ(chain.ledger->view_access_key("alice.sandbox", key_of("alice.sandbox").public_key(), 1'001)
                  ->at("nonce"),
              3);
}

TEST(Mempool, TheSameBytesTwiceAreOneTransaction) {
    TestChain chain;
    const auto transaction = chain.transfer("alice.sandbox", "bob.sandbox", kToken);
    chain.send(transaction);
    chain.send(transaction);
    EXPECT_EQ(chain.ledger->pending_transactions(), 1U);
    chain.produce(2);
    chain.send(transaction);
    chain.produce(2);
    EXPECT_EQ(chain.ledger->check().transactions, 1U);
}

TEST(Mempool, OfTwoTransactionsWithOneNonceTheLaterIsSuperseded) {
    TestChain chain;
    const std::string kept = chain.send(chain.transfer("alice.sandbox", "bob.sandbox", 1, 1));
    const std::string lost = chain.send(chain.transfer("alice.sandbox", "bob.sandbox", 2, 1));
    chain.produce(2);
    EXPECT_EQ(chain.truth(kept).at("stage"), "completed");
    EXPECT_EQ(chain.truth(lost).at("stage"), "dropped");
    EXPECT_EQ(chain.truth(lost).at("reason"), "superseded");
    EXPECT_EQ(chain.truth(lost).at("evidence"),
              Json({{"InvalidTxError", {{"InvalidNonce", {{"tx_nonce", 1}, {"ak_nonce", 1}}}}}}));
}

TEST(Mempool, ATransactionWhoseTokensAreGoneAtItsTurnIsDroppedForBalance) {
    TestChain chain;
    const std::string spends = chain.send(chain.transfer("alice.sandbox", "bob.sandbox", 9'999 * kToken));
    const std::string lacks = chain.send(chain.transfer("alice.sandbox", "bob.sandbox", 5 * kToken));
    chain.produce(3);
    EXPECT_EQ(chain.truth(spends).at("verdict"), "succeeded");
    EXPECT_EQ(chain.truth(lacks).at("reason"), "balance");
    EXPECT_TRUE(chain.truth(lacks).at("evidence").at("InvalidTxError").contains("NotEnoughBalance"));
}

TEST(Mempool, RejectsWhatIsInvalidWhenItComes) {
    TestChain chain;
    auto transaction = chain.transfer("alice.sandbox", "bob.sandbox", kToken);
    transaction.signature = key_of("bob.sandbox").sign(CryptoHash{}.view());
    const std::string hash = chain.run(transaction, 2);
    EXPECT_EQ(chain.truth(hash).at("stage"), "rejected");
    EXPECT_EQ(chain.truth(hash).at("evidence"), Json({{"InvalidTxError", "InvalidSignature"}}));
    EXPECT_EQ(chain.truth(hash).at("heights").at("ended"), 1'000);
}

TEST(Mempool, ARejectedTransactionMayBeValidLater) {
    TestChain chain;
    const auto transaction = chain.transfer("alice.sandbox", "bob.sandbox", 10'001 * kToken, 5);
    const std::string hash = chain.run(transaction, 1);
    EXPECT_EQ(chain.truth(hash).at("stage"), "rejected");
    chain.run(chain.transfer("carol.sandbox", "alice.sandbox", 100 * kToken), 3);
    chain.run(transaction, 3);
    EXPECT_EQ(chain.truth(hash).at("verdict"), "succeeded");
}

TEST(Validation, JudgesTheBlockHashBeforeEverythingElse) {
    LedgerOptions options = test_options();
    options.validity_blocks = 5;
    TestChain chain(std::move(options));
    auto unknown = chain.transfer("nobody.sandbox", "bob.sandbox", 1);
    auto old = unknown;
    unknown.transaction.block_hash = CryptoHash{};
    EXPECT_EQ(chain.ledger->validate(unknown, chain.ledger->tip()), Json("Expired"));
    chain.produce(5);
    EXPECT_EQ(chain.ledger->validate(old, chain.ledger->tip())->begin().key(), "SignerDoesNotExist");
    chain.produce(1);
    EXPECT_EQ(chain.ledger->validate(old, chain.ledger->tip()), Json("Expired"));
}

TEST(Validation, IsThatOfTheHeadThatAHostKnows) {
    TestChain chain;
    const auto transaction = chain.transfer("alice.sandbox", "bob.sandbox", 1);
    const auto before = chain.ledger->tip();
    const std::string hash = chain.run(transaction, 3);
    const auto used = chain.ledger->validate(transaction, chain.ledger->tip());
    ASSERT_TRUE(used);
    EXPECT_TRUE(used->contains("InvalidNonce"));
    EXPECT_TRUE(chain.ledger->is_on_chain(hash, chain.ledger->tip()));
    EXPECT_FALSE(chain.ledger->validate(transaction, before)) << "a host that lags has not seen its block";
    EXPECT_FALSE(chain.ledger->is_on_chain(hash, before));
    EXPECT_EQ(chain.ledger->validate(transaction, before - 1), Json("Expired")) << "nor its block hash's";
}

TEST(Validation, RefusesTransactionsToACongestedShard) {
    TestChain chain;
    const std::uint64_t shard_id = chain.shard_id_of("relayer.sandbox");
    ASSERT_TRUE(chain.ledger->congest(shard_id, 3, 0.9));
    chain.produce(1);
    const auto to = [&](const std::string& receiver) {
        return chain.ledger->validate(chain.transfer("alice.sandbox", receiver, 1, 1), chain.ledger->tip());
    };
    const Json error = to("relayer.sandbox").value_or(Json());
    EXPECT_EQ(error.at("ShardCongested").at("shard_id"), shard_id);
    EXPECT_NEAR(error.at("ShardCongested").at("congestion_level").get<double>(), 0.9, 1e-9);
    EXPECT_FALSE(to("alice.sandbox"));
    chain.produce(4);
    EXPECT_FALSE(to("relayer.sandbox"));
    EXPECT_FALSE(chain.ledger->congest(999, 1));
}

TEST(Validation, RefusesTransactionsToAShardThatMissesItsChunks) {
    TestChain chain;
    const std::uint64_t shard_id = chain.shard_id_of("relayer.sandbox");
    chain.ledger->withhold_chunk(shard_id, 100);
    chain.produce(100);
    EXPECT_EQ(
        chain.ledger->validate(chain.transfer("alice.sandbox", "relayer.sandbox", 1), chain.ledger->tip()),
        Json({{"ShardStuck", {{"shard_id", shard_id}, {"missed_chunks", 100}}}}));
}

TEST(Congestion, DelaysReceiptsAndShowsInTheNextChunkHeader) {
    TestChain chain;
    const std::uint64_t shard_id = chain.shard_id_of("ft.sandbox");
    chain.ledger->congest(shard_id, 4);
    std::vector<std::string> hashes;
    for (int i = 0; i < 6; ++i)
        hashes.push_back(chain.send(chain.call("alice.sandbox", "ft.sandbox", "burn", "20")));
    chain.produce(3);
    const std::size_t index = chain.ledger->layout().index_of("ft.sandbox");
    const Json chunk = chain.block(1'003).at("chunks").at(index);
    EXPECT_NE(chunk.at("congestion_info").at("delayed_receipts_gas"), "0");
    EXPECT_GT(chain.ledger->congestion_level(chunk.at("chunk_hash").get<std::string>()), 0);
    chain.produce(7);
    std::set<Height> executed;
    for (const std::string& hash : hashes)
        executed.insert(chain.truth(hash).at("heights").at("executed").get<Height>());
    EXPECT_GT(executed.size(), 1U);
    EXPECT_TRUE(chain.ledger->check().ok());
}

TEST(Congestion, DelaysTheReceiptsOfTransactionsToTheirOwnSigner) {
    TestChain chain;
    chain.ledger->congest(chain.shard_id_of("ft.sandbox"), 4);
    const std::string hash = chain.run(chain.call("ft.sandbox", "ft.sandbox", "keep"));
    const Json heights = chain.truth(hash).at("heights");
    EXPECT_GT(heights.at("executed").get<Height>(), heights.at("included").get<Height>());
    EXPECT_TRUE(chain.ledger->check().ok());
}

// --- Drops on request -----------------------------------------------------------------------

TEST(Drops, ExpiredStaysPendingUntilItsBlockHashIsTooOld) {
    LedgerOptions options = test_options();
    options.validity_blocks = 4;
    TestChain chain(std::move(options));
    const auto transaction = chain.transfer("alice.sandbox", "bob.sandbox", 1);
    const std::string hash = wire::transaction_hash(transaction.transaction).to_string();
    EXPECT_EQ(chain.ledger->drop(hash, DropHow::expired), Ledger::DropAnswer::noted);
    chain.run(transaction, 5);
    EXPECT_EQ(chain.truth(hash).at("stage"), "pending");
    chain.produce(1);
    EXPECT_EQ(chain.truth(hash).at("stage"), "expired");
    EXPECT_EQ(chain.truth(hash).at("heights").at("ended"), 1'006);
    EXPECT_EQ(chain.ledger->pending_transactions(), 0U);
}

TEST(Drops, SupersededMeansThatAnotherTransactionUsedTheNonce) {
    TestChain chain;
    const auto transaction = chain.transfer("alice.sandbox", "bob.sandbox", kToken);
    const std::string hash = wire::transaction_hash(transaction.transaction).to_string();
    chain.ledger->drop(hash, DropHow::superseded);
    chain.run(transaction, 3);
    EXPECT_EQ(chain.truth(hash).at("stage"), "dropped");
    EXPECT_EQ(chain.truth(hash).at("reason"), "superseded");
    EXPECT_FALSE(chain.ledger->is_on_chain(hash, chain.ledger->tip()));
    EXPECT_EQ(chain.ledger->view_access_key("alice.sandbox", key_of("alice.sandbox").public_key(), 1'003)
                  ->at("nonce"),
              1);
    const Json all = chain.ledger->truth(0, 9'999);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all.at(1).at("by_ledger"), true);
    EXPECT_EQ(all.at(1).at("verdict"), "succeeded");
}

TEST(Drops, SupersededWithoutTheKeyWaitsForALaterNonce) {
    LedgerOptions options = test_options();
    for (GenesisAccount& account : options.accounts) account.secret_keys.clear();
    TestChain chain(std::move(options));
    const std::string hash = chain.send(chain.transfer("alice.sandbox", "bob.sandbox", kToken));
    EXPECT_EQ(chain.ledger->drop(hash, DropHow::superseded), Ledger::DropAnswer::noted);
    chain.produce(3);
    EXPECT_EQ(chain.truth(hash).at("stage"), "pending");
    chain.run(chain.transfer("alice.sandbox", "bob.sandbox", kToken), 2);
    EXPECT_EQ(chain.truth(hash).at("reason"), "superseded");
}

TEST(Drops, BalanceMovesTheTokensAwayWhereANonceIsFree) {
    TestChain chain;
    const auto transaction = chain.transfer("alice.sandbox", "bob.sandbox", kToken, 7);
    const std::string hash = wire::transaction_hash(transaction.transaction).to_string();
    chain.ledger->drop(hash, DropHow::balance);
    chain.run(transaction, 4);
    EXPECT_EQ(chain.truth(hash).at("reason"), "balance");
    EXPECT_TRUE(chain.truth(hash).at("evidence").at("InvalidTxError").contains("NotEnoughBalance"));
    EXPECT_LT(chain.balance("alice.sandbox"), kToken);
    EXPECT_EQ(chain.ledger->view_access_key("alice.sandbox", key_of("alice.sandbox").public_key(), 1'004)
                  ->at("nonce"),
              1);
}

TEST(Drops, BalanceWithoutAFreeNonceLetsItVanish) {
    TestChain chain;
    const auto transaction = chain.transfer("alice.sandbox", "bob.sandbox", kToken);
    const std::string hash = wire::transaction_hash(transaction.transaction).to_string();
    chain.ledger->drop(hash, DropHow::balance);
    chain.run(transaction, 2);
    EXPECT_EQ(chain.truth(hash).at("reason"), "balance");
    EXPECT_EQ(chain.truth(hash).at("evidence"), nullptr);
    EXPECT_EQ(chain.balance("alice.sandbox"), 10'000 * kToken);
}

TEST(Drops, ForwardingNeverReachesTheMempoolOrLeavesIt) {
    TestChain chain;
    const auto early = chain.transfer("alice.sandbox", "bob.sandbox", 1);
    const std::string hash = wire::transaction_hash(early.transaction).to_string();
    chain.ledger->drop(hash, DropHow::forwarding);
    chain.send(early);
    EXPECT_EQ(chain.ledger->pending_transactions(), 0U);
    EXPECT_EQ(chain.truth(hash).at("stage"), "forwarding_failed");
    const std::string late = chain.send(chain.transfer("bob.sandbox", "alice.sandbox", 1));
    chain.ledger->drop(late, DropHow::forwarding);
    chain.produce(2);
    EXPECT_EQ(chain.truth(late).at("stage"), "forwarding_failed");
    EXPECT_FALSE(chain.ledger->is_on_chain(late, chain.ledger->tip()));
}

TEST(Drops, ComeTooLateForAnIncludedTransaction) {
    TestChain chain;
    const std::string hash = chain.run(chain.transfer("alice.sandbox", "bob.sandbox", 1), 1);
    EXPECT_EQ(chain.ledger->drop(hash, DropHow::expired), Ledger::DropAnswer::already_included);
    EXPECT_EQ(chain.ledger->delay(hash, 3), Ledger::DropAnswer::already_included);
    EXPECT_EQ(chain.ledger->drop("no hash", DropHow::expired), Ledger::DropAnswer::unknown_hash);
}

TEST(Drops, AreNamedAsTheControlApiNamesThem) {
    for (const char* name : {"expired", "superseded", "balance", "forwarding"}) {
        ASSERT_TRUE(parse_drop_how(name));
        EXPECT_STREQ(to_string(*parse_drop_how(name)), name);
    }
    EXPECT_FALSE(parse_drop_how("lost"));
}

TEST(Delay, KeepsATransactionOutOfThatManyBlocks) {
    TestChain chain;
    const auto transaction = chain.transfer("alice.sandbox", "bob.sandbox", 1);
    const std::string hash = wire::transaction_hash(transaction.transaction).to_string();
    chain.ledger->delay(hash, 3);
    chain.run(transaction, 6);
    EXPECT_EQ(chain.truth(hash).at("heights").at("included"), 1'004);
}

TEST(Inclusion, OfWhatHasBecomeInvalidFailsInTheBlock) {
    TestChain chain;
    const auto late = chain.transfer("alice.sandbox", "bob.sandbox", 1, 1);
    const std::string hash = chain.send(late);
    EXPECT_EQ(chain.ledger->include_anyway(hash), Ledger::DropAnswer::noted);
    chain.ledger->delay(hash, 3);
    chain.run(chain.transfer("alice.sandbox", "carol.sandbox", 1, 1), 6);
    const sim::Json truth = chain.truth(hash);
    EXPECT_EQ(truth.at("stage"), "final");
    EXPECT_EQ(truth.at("verdict"), "failed");
    EXPECT_EQ(truth.at("heights").at("included"), 1'004);
    EXPECT_TRUE(truth.at("error").at("InvalidTxError").contains("InvalidNonce"));
    EXPECT_TRUE(truth.at("tree").empty());
    EXPECT_EQ(chain.ledger->check(true).to_json().at("ok"), true);
}

TEST(Again, ATransactionIsExecutedUnderTheSameHash) {
    TestChain chain;
    const std::string hash = chain.run(chain.transfer("alice.sandbox", "bob.sandbox", 1), 4);
    chain.run(chain.transfer("alice.sandbox", "bob.sandbox", 2), 1);
    ASSERT_TRUE(chain.ledger->execute_again(hash, false));
    chain.produce(6);
    const sim::Json truth = chain.truth(hash);
    EXPECT_EQ(truth.at("heights").at("included"), 1'001);
    ASSERT_EQ(truth.at("again").size(), 1u);
    const sim::Json& again = truth.at("again").at(0);
    EXPECT_EQ(again.at("heights").at("included"), 1'006);
    EXPECT_EQ(again.at("verdict"), "succeeded");
    EXPECT_NE(again.at("tree").at(0).at("receipt_id"), truth.at("tree").at(0).at("receipt_id"));
    EXPECT_EQ(chain.ledger->check(true).to_json().at("ok"), true);
}

TEST(Again, AnExecutedTransactionIsListedAndRefused) {
    TestChain chain;
    const std::string hash = chain.run(chain.transfer("alice.sandbox", "bob.sandbox", 1), 4);
    ASSERT_TRUE(chain.ledger->execute_again(hash, true));
    chain.produce(6);
    const sim::Json again = chain.truth(hash).at("again").at(0);
    EXPECT_EQ(again.at("verdict"), "failed");
    EXPECT_TRUE(again.at("error").at("InvalidTxError").contains("InvalidNonce"));
    EXPECT_TRUE(again.at("tree").empty());
    EXPECT_EQ(chain.ledger->check(true).to_json().at("ok"), true);
}

TEST(Again, NeedsATransactionThatABlockIncludes) {
    TestChain chain;
    const std::string hash = chain.send(chain.transfer("alice.sandbox", "bob.sandbox", 1));
    EXPECT_FALSE(chain.ledger->execute_again(hash, false));
    EXPECT_FALSE(chain.ledger->execute_again("no hash", false));
}

}  // namespace
}  // namespace receiptd::sandbox
