// Global contracts on their way, from both sources.
#include "chain/json/contract_distribution.hpp"
#include "chain/json/decode.hpp"
#include "chain/rows/rows.hpp"
#include "chain/tree/lineage.hpp"
#include "chain_builder.hpp"
#include "copy_reader.hpp"
#include "support/recordings.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

namespace receiptd::chain {
namespace {

using testing::ChainBuilder;
using testing::read_rows;

nlohmann::json recorded_distributions() {
    return nlohmann::json::parse(
        test::read_file(test::kRecorded / "nearcore-84" / "global_contract_distribution.json"));
}

TEST(ContractDistribution, IsReadAsANodeWroteIt) {
    std::uint64_t delivered = 0;
    const auto recorded = recorded_distributions();
    for (const auto& receipt : recorded.at("receipts")) {
        const auto read = contract_distribution(receipt.at("receipt").dump());
        ASSERT_TRUE(read);
        EXPECT_EQ(read->contract_hash, "AuyLdW9zR2PrSfi8pqZ7Skm5bZyG5pgpQftxasTQ467q");
        EXPECT_EQ(read->contract_account_id, "");
        EXPECT_EQ(read->code, "k0sWI8FIEXcqxT6iHnjdi6a0AF0KbtqlXIsz8WZviGg=");
        EXPECT_EQ(read->target_shard, receipt.at("receipt").begin().value().at("target_shard"));
        EXPECT_EQ(read->delivered, delivered++);
        EXPECT_FALSE(read->nonce);
    }
    EXPECT_EQ(delivered, 4U);
}

TEST(ContractDistribution, IsReadAsNewerNodesWriteIt) {
    const auto read = contract_distribution(
        R"({"GlobalContractDistribution":{"id":{"account_id":"app.near"},"target_shard":9,)"
        R"("already_delivered_shards":[1,7],"code":"c=","nonce":3,"newer":{}}})");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->contract_hash, "");
    EXPECT_EQ(read->contract_account_id, "app.near");
    EXPECT_EQ(read->delivered, 2U);
    EXPECT_EQ(read->nonce, 3U);
}

TEST(ContractDistribution, IsNothingElse) {
    for (const char* text :
         {"", "[]", "{", R"({"Data":{"data_id":"d"}})", R"({"GlobalContractDistribution":7})",
          R"({"GlobalContractDistribution":{"id":{"sharded":"s"},"target_shard":9,)"
          R"("already_delivered_shards":[],"code":"c="}})",
          R"({"GlobalContractDistribution":{"id":{"hash":"h"},"target_shard":-1,)"
          R"("already_delivered_shards":[],"code":"c="}})"})
        EXPECT_FALSE(contract_distribution(text)) << text;
}

constexpr Text kBody =
    R"({"GlobalContractDistribution":{"id":{"account_id":"app.near"},"target_shard":9,"already_delivered_shards":[7],"code":"c=","nonce":3}})";

Receipt carried(Text body = kBody) {
    Receipt receipt = testing::data_receipt("G", "", "app.near", "system");
    receipt.kind = ReceiptKind::global_contract_distribution;
    receipt.json = body;
    return receipt;
}

void expect_row(const RowBatch& batch) {
    const auto rows = read_rows(batch, Table::global_contract_distributions);
    ASSERT_EQ(rows.size(), 1U) << "once, though it is listed twice";
    auto row = rows[0];
    EXPECT_EQ(row["receipt_id"], "G");
    EXPECT_EQ(row["block_height"], "10");
    EXPECT_EQ(row["shard_id"], "0");
    EXPECT_EQ(row["deployer_id"], "app.near");
    EXPECT_EQ(row["contract_hash"], std::nullopt);
    EXPECT_EQ(row["contract_account_id"], "app.near");
    EXPECT_EQ(row["code"], "c=");
    EXPECT_EQ(row["nonce"], "3");
    EXPECT_EQ(row["target_shard_id"], "9");
    EXPECT_EQ(row["delivered"], "1");
}

TEST(ContractDistributionRows, AreWrittenWhateverTheScopeFromWholeBlocks) {
    ChainBuilder chain;
    auto& block = chain.add_block(10);
    block.shards[0].listed_contracts = {carried(), carried()};
    Lineage lineage;
    const Scope scope{ScopeKind::accounts, {"somebody.near"}, {}};
    expect_row(whole_block_rows(block, std::nullopt, scope, lineage));
    const Scope headers{ScopeKind::headers, {}, {}};
    EXPECT_EQ(
        whole_block_rows(block, std::nullopt, headers, lineage)[Table::global_contract_distributions].rows,
        0U);
}

TEST(ContractDistributionRows, AreWrittenWhateverTheScopeFromChunks) {
    ChainBuilder chain;
    const auto& block = chain.add_block(10).block;
    Chunk chunk;
    chunk.header = block.chunks[0];
    chunk.receipts = {carried(), carried()};
    expect_row(block_rows(block, {&chunk}, std::nullopt, {ScopeKind::accounts, {"somebody.near"}, {}}));
}

TEST(ContractDistributionRows, OfWhatCannotBeUnderstoodThereAreNone) {
    ChainBuilder chain;
    const auto& block = chain.add_block(10).block;
    Chunk chunk;
    chunk.header = block.chunks[0];
    chunk.receipts = {carried(R"({"GlobalContractDistribution":{"V3":[]}})")};
    const auto batch = block_rows(block, {&chunk}, std::nullopt, {});
    EXPECT_EQ(batch[Table::global_contract_distributions].rows, 0U);
    ASSERT_EQ(batch.facts.left_out.size(), 1U) << "and it is said";
    EXPECT_EQ(batch.facts.left_out[0].height, 10U);
    EXPECT_EQ(batch.facts.left_out[0].path, "global contract distribution G");
}

}  // namespace
}  // namespace receiptd::chain
