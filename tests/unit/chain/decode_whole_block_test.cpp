#include "decode_fixtures.hpp"
#include "support/recordings.hpp"

#include <gmock/gmock.h>

namespace receiptd::chain {
namespace {

using testing::Changed;
using ::testing::ElementsAre;
using testing::error_of;
using testing::fixture;

std::string whole_block_error(const Changed& json) { return error_of(decode_whole_block(json.text())); }

class DecodeWholeBlock : public ::testing::Test {
protected:
    void SetUp() override {
        auto decoded = decode_whole_block(fixture("whole_block/full.json"));
        ASSERT_TRUE(decoded) << error_of(decoded);
        decoded_.emplace(std::move(*decoded));
    }
    const WholeBlock& block() const { return decoded_->value; }
    std::optional<Decoded<WholeBlock>> decoded_;
};

TEST_F(DecodeWholeBlock, ReadsTheBlockAndEveryShard) {
    EXPECT_EQ(block().block.author, "pool.near");
    EXPECT_EQ(block().block.chunks.size(), 2);
    ASSERT_EQ(block().shards.size(), 2);
    EXPECT_EQ(block().shards[0].shard_id, 6);
    ASSERT_TRUE(block().shards[0].chunk_header);
    EXPECT_EQ(block().shards[0].chunk_header->chunk_hash, block().block.chunks[0].chunk_hash);
}

TEST_F(DecodeWholeBlock, ReadsTheSidesOfProofs) {
    const auto& outcome = block().shards[0].executed[0].outcome;
    EXPECT_EQ(outcome.sides.steps, 2);
    EXPECT_EQ(outcome.sides.left, 1u) << "left, then right";
    EXPECT_TRUE(outcome.proof.empty());
}

TEST(DecodeWholeBlockErrors, NameTheSideThatIsNone) {
    const std::string proof = "/shards/0/receipt_execution_outcomes/0/execution_outcome/proof";
    const auto error_with = [&](const std::string& steps) {
        return whole_block_error(Changed("whole_block/full.json").set(proof, steps));
    };
    EXPECT_THAT(error_with(R"([{"hash":"x","direction":"Up"}])"),
                ::testing::HasSubstr("neither Left nor Right"));
    EXPECT_THAT(error_with(R"([{"hash":"x"}])"), ::testing::HasSubstr("direction"));
    EXPECT_THAT(error_with("[5]"), ::testing::HasSubstr("not an object"));
    std::string many = "[";
    for (int i = 0; i < 65; ++i) many += std::string(i > 0 ? "," : "") + R"({"direction":"Left"})";
    EXPECT_THAT(error_with(many + "]"), ::testing::HasSubstr("more than 64 steps"));
}

TEST_F(DecodeWholeBlock, AShardWithoutAChunkIsStillThere) {
    EXPECT_EQ(block().shards[1].shard_id, 11);
    EXPECT_FALSE(block().shards[1].chunk_header);
    EXPECT_TRUE(block().shards[1].transactions.empty());
    EXPECT_TRUE(block().shards[1].executed.empty());
}

TEST_F(DecodeWholeBlock, ReadsTransactionsWithOutcome) {
    const auto& transactions = block().shards[0].transactions;
    ASSERT_EQ(transactions.size(), 2);
    ASSERT_TRUE(transactions[0].outcome);
    EXPECT_EQ(transactions[0].outcome->id, transactions[0].transaction.hash);
}

TEST_F(DecodeWholeBlock, ReadsExecutedReceipts) {
    const auto& executed = block().shards[0].executed;
    ASSERT_EQ(executed.size(), 2);
    EXPECT_EQ(executed[0].outcome.id, executed[0].receipt.receipt_id);
    EXPECT_EQ(executed[0].outcome.status.success_value, "MQ==");
    EXPECT_THAT(executed[0].outcome.logs, ElementsAre("a \"quoted\" log", Text("\0", 1)));
    EXPECT_EQ(executed[0].tx_hash, block().shards[0].transactions[0].transaction.hash);
    EXPECT_TRUE(executed[1].tx_hash.empty());
    for (const auto& item : executed) EXPECT_TRUE(item.outcome.proof.empty()) << "passed over";
    EXPECT_EQ(executed[1].outcome.status.failure_json, R"({"InvalidTxError":"Expired"})");
}

TEST(DecodeRecordedWholeBlock, KeepsTheGlobalContractsAmongTheListedReceipts) {
    const auto decoded = decode_whole_block(
        test::read_file(std::filesystem::path(RECEIPTD_UNPACKED) / "one_validator/whole-block/1248.json"));
    ASSERT_TRUE(decoded) << error_of(decoded);
    std::vector<Text> predecessors;
    for (const auto& shard : decoded->value.shards)
        for (const auto& receipt : shard.listed_contracts) predecessors.push_back(receipt.predecessor_id);
    EXPECT_THAT(predecessors, ElementsAre("app.run2.node0"));
}

TEST_F(DecodeWholeBlock, KeepsOnlyTheDataAmongTheOtherListedReceipts) {
    const auto& listed = block().shards[0].listed_data;
    ASSERT_EQ(listed.size(), 1);
    EXPECT_EQ(listed[0].kind, ReceiptKind::data);
    EXPECT_FALSE(listed[0].data_id.empty());
}

TEST(DecodeOldWholeBlock, TakesChunkHeadersFromTheShards) {
    const auto decoded = decode_whole_block(fixture("whole_block/old.json"));
    ASSERT_TRUE(decoded) << error_of(decoded);
    const WholeBlock& block = decoded->value;
    ASSERT_EQ(block.block.chunks.size(), 1);  // nothing is known of the shard without a chunk
    EXPECT_EQ(block.block.chunks[0].shard_id, 6);
    EXPECT_EQ(block.block.header.timestamp_nanosec, 1700000000123456789);
    EXPECT_FALSE(block.block.header.prev_height);
}

TEST(DecodeOldWholeBlock, ATransactionMayLackItsOutcome) {
    const auto decoded = decode_whole_block(
        Changed("whole_block/full.json").remove("/shards/0/chunk/transactions/0/outcome").text());
    ASSERT_TRUE(decoded) << error_of(decoded);
    EXPECT_FALSE(decoded->value.shards[0].transactions[0].outcome);
}

TEST(DecodeWholeBlockErrors, NameTheShardAndTheMember) {
    const Changed full("whole_block/full.json");
    EXPECT_EQ(whole_block_error(Changed(full).remove("/shards/1/shard_id")), "shards[1].shard_id: missing");
    EXPECT_EQ(whole_block_error(Changed(full).remove("/shards/1/receipt_execution_outcomes")),
              "shards[1].receipt_execution_outcomes: missing");
    EXPECT_EQ(whole_block_error(Changed(full).set("/shards/1/chunk", "7")), "shards[1].chunk: not an object");
    EXPECT_EQ(
        whole_block_error(Changed(full).set("/shards/0/chunk/transactions/0/transaction/nonce", "\"1\"")),
        "shards[0].chunk.transactions[0].transaction.nonce: not a number");
    EXPECT_EQ(whole_block_error(Changed(full).remove("/shards/0/receipt_execution_outcomes/1/receipt")),
              "shards[0].receipt_execution_outcomes[1].receipt: missing");
    EXPECT_EQ(whole_block_error(Changed(full).set("/shards/0/receipt_execution_outcomes/0/tx_hash", "\"\"")),
              "shards[0].receipt_execution_outcomes[0].tx_hash: not a hash");
    EXPECT_EQ(whole_block_error(Changed(full).remove("/block/header/hash")), "block.header.hash: missing");
    EXPECT_EQ(whole_block_error(Changed(full).remove("/shards")), "shards: missing");
    EXPECT_EQ(whole_block_error(Changed(full).set("/shards/1/shard_id", "6")),
              "shards[1]: it is listed before");
    EXPECT_EQ(whole_block_error(Changed(full).set("/block/chunks/1/shard_id", "6")),
              "block.chunks[1]: its shard is listed before");
}

TEST(DecodeWholeBlockErrors, AMissingHeightIsNoBlock) {
    EXPECT_EQ(error_of(decode_whole_block("null")), "not an object");
}

}  // namespace
}  // namespace receiptd::chain
