// Reports of rows that were missing, doubled or refused.
#include "museum/stage.hpp"

#include "chain/json/decode.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace receiptd::museum {
namespace {

using testing::IsEmpty;

// alice calls a contract that calls another one.
std::string call_on(Stage& stage) {
    return stage.run(R"([{"call":{"account":"receiver.sandbox","method":"nope","as":"a"}},)"
                     R"({"then":{"after":"a","run":["log_promise_results"]}},{"return":"ok"}])");
}

// The rows of receipts and their results, as texts.
std::set<std::string> texts_of(const Stored& stored) {
    std::set<std::string> texts;
    for (const auto table : {Table::receipts, Table::transaction_results, Table::findings}) {
        for (const auto& row : stored.rows(table)) {
            std::string text;
            for (const auto& [column, cell] : row.cells) text += column + "=" + cell.value_or("-") + " ";
            texts.insert(text);
        }
    }
    return texts;
}

TEST(Rows, OfReceiptsThatABlockListsAgainAreThereOnce) {
    Stage stage;
    call_on(stage);
    stage.blocks(20);
    std::map<std::size_t, Json> before;
    const auto stored = stage.stored([&](Json& block) {
        auto& shards = block.at("shards");
        for (std::size_t i = 0; i < shards.size(); ++i) {
            if (shards[i].at("chunk").is_null()) continue;
            auto& listed = shards[i]["chunk"]["receipts"];
            const auto again = std::exchange(before[i], listed);
            for (const auto& receipt : again) listed.push_back(receipt);
        }
    });
    EXPECT_EQ(texts_of(stored), texts_of(stage.stored()));
}

TEST(Rows, OfAnOutcomeThatTwoHeightsTellAreThereOnce) {
    Stage stage;
    const auto hash = call_on(stage);
    stage.blocks(20);
    std::map<std::size_t, Json> before;
    const auto stored = stage.stored([&](Json& block) {
        auto& shards = block.at("shards");
        for (std::size_t i = 0; i < shards.size(); ++i) {
            auto& outcomes = shards[i]["receipt_execution_outcomes"];
            const auto again = std::exchange(before[i], outcomes);
            for (const auto& outcome : again) outcomes.push_back(outcome);
        }
    });
    EXPECT_EQ(stored.rows(Table::receipts, hash).size(), stage.stored().rows(Table::receipts, hash).size());
    EXPECT_EQ(stored.end(hash), stage.stored().end(hash));
}

TEST(Rows, OfAChunkWithoutHeaderOrContentsAreTakenFromItsBlock) {
    Stage stage;
    const auto hash = call_on(stage);
    stage.blocks(20);
    const auto stored = stage.stored([](Json& block) {
        for (auto& shard : block.at("shards")) {
            const auto& chunk = shard.at("chunk");
            if (!chunk.is_null() && chunk.at("receipts").empty() && chunk.at("transactions").empty())
                shard["chunk"] = nullptr;
        }
    });
    EXPECT_EQ(stored.end(hash), stage.stored().end(hash));
    EXPECT_EQ(stored.rows(Table::receipts, hash).size(), stage.stored().rows(Table::receipts, hash).size());
}

TEST(Rows, OfAChunkThatTellsAnotherHeightOfItsInclusionAreThoseOfItsBlock) {
    Stage stage;
    const auto hash = call_on(stage);
    stage.blocks(1);
    auto& ledger = stage.ledger();
    const auto block = chain::decode_block(*ledger.block(ledger.tip()));
    ASSERT_TRUE(block);
    const auto rows_of = [&](std::uint64_t lower) {
        std::vector<chain::DecodeResult<chain::Chunk>> decoded;
        std::vector<const chain::Chunk*> chunks;
        for (const auto& header : block->value.chunks) {
            auto chunk = Json::parse(ledger.chunk(header.chunk_hash)->json);
            chunk["header"]["height_included"] = ledger.tip() - lower;
            decoded.push_back(chain::decode_chunk(chunk.dump()));
        }
        for (const auto& chunk : decoded) chunks.push_back(&chunk->value);
        return Stored{chain::block_rows(block->value, chunks, std::nullopt, chain::Scope())};
    };
    const auto right = rows_of(0);
    const auto wrong = rows_of(1);
    EXPECT_EQ(wrong.rows(Table::transactions, hash).size(), 1u);
    const auto included = [](const Stored& stored) {
        std::vector<std::string> heights;
        for (const auto& row : stored.rows(Table::chunks))
            heights.push_back(row["height_included"].value_or("-"));
        return heights;
    };
    EXPECT_EQ(included(wrong), included(right));
}

TEST(Rows, OfAReceiptWhoseTransactionIsOlderThanTheDatabaseStandUnderItsOwnName) {
    Stage stage;
    call_on(stage);
    stage.blocks(2);
    const auto begin = stage.ledger().tip();
    stage.blocks(20);
    const auto untold = [](Json& block) {
        for (auto& shard : block.at("shards"))
            for (auto& executed : shard.at("receipt_execution_outcomes")) executed.erase("tx_hash");
    };
    const auto stored = stage.stored(untold, begin);
    EXPECT_THAT(stored.rows(Table::transactions), IsEmpty());
    auto orphans = stored.rows(Table::orphan_receipts);
    std::erase_if(orphans, [](const Row& orphan) { return orphan["kind"] != "receipt"; });
    ASSERT_FALSE(orphans.empty());
    const auto receipts = stored.rows(Table::receipts);
    for (const auto& orphan : orphans) {
        const auto& receipt = chain::testing::row_with(receipts, "receipt_id", *orphan["id"]);
        EXPECT_EQ(receipt["tree_id"], orphan["id"]);
        EXPECT_FALSE(receipt["tx_hash"]);
    }
}

TEST(Rows, OfTheSameEventAndTheSameTransferTwiceInOneReceiptAreTwo) {
    Stage stage;
    const std::string event =
        R"({"log":"EVENT_JSON:{\"standard\":\"a\",\"version\":\"1\",\"event\":\"b\"}"})";
    const std::string transfer = R"({"transfer":{"to":"bob.sandbox","amount":"7"}})";
    const auto hash = stage.run("[" + event + "," + event + "," + transfer + "," + transfer + "]");
    stage.blocks(20);
    const auto stored = stage.stored();
    const auto events = stored.rows(Table::events, hash);
    ASSERT_EQ(events.size(), 2u);
    EXPECT_EQ(events[0]["receipt_id"], events[1]["receipt_id"]);
    EXPECT_NE(events[0]["index"], events[1]["index"]) << "the key of the table";
    const auto receipts = stored.rows(Table::receipts, hash);
    EXPECT_EQ(
        std::count_if(receipts.begin(), receipts.end(), [](const Row& row) { return row["deposit"] == "7"; }),
        2);
}

TEST(Rows, TheTimeOfABlockHasAllItsNanoseconds) {
    Stage stage;
    stage.blocks(1);
    const auto stored = stage.stored([](Json& block) {
        block["block"]["header"]["timestamp_nanosec"] = "1680280000123456789";
        block["block"]["header"]["timestamp"] = 1680280000123456800;  // as JavaScript would round it
    });
    EXPECT_EQ(stored.rows(Table::blocks).back()["timestamp_nanosec"], "1680280000123456789");
}

}  // namespace
}  // namespace receiptd::museum
