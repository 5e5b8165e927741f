// Kinds of a newer protocol are stored as they came, and named.
#include "chain/rows/new_kinds.hpp"

#include "chain/json/decode.hpp"
#include "chain/rows/rows.hpp"
#include "chain/tree/lineage.hpp"
#include "chain/tree/live_trees.hpp"
#include "support/read_file.hpp"
#include "unit/chain/chain_builder.hpp"
#include "unit/chain/copy_reader.hpp"

#include <gtest/gtest.h>

#include <boost/algorithm/string/replace.hpp>

#include <string>

namespace receiptd::chain {
namespace {

using testing::action_receipt;
using testing::ChainBuilder;
using testing::executed;
using testing::read_rows;
using testing::row_with;
using testing::transaction;

using Names = std::set<NewKinds::Name>;

RowBatch rows_of(const std::deque<WholeBlock>& blocks) {
    Lineage lineage;
    LiveTrees live;
    RowBatch batch;
    for (const auto& block : blocks) batch.append(whole_block_rows(block, std::nullopt, {}, lineage, &live));
    return batch;
}

Action of_tomorrow(Text name) {
    Action action;
    action.name = name;
    action.json = R"({"Teleport":{"to":"mars.near"}})";
    return action;
}

TEST(NewKinds, AreNamedAndStoredAsTheyCame) {
    ChainBuilder chain;
    auto sent = transaction("TX", "alice.near", "bob.near", "R1");
    sent.transaction.actions = {of_tomorrow("Teleport")};
    sent.transaction.actions_json = R"([{"Teleport":{"to":"mars.near"}}])";
    chain.add_block(10).shards[0].transactions.push_back(sent);
    auto receipt = action_receipt("R1", "alice.near", "bob.near", "alice.near");
    Action delegate;
    delegate.kind = ActionKind::delegate;
    delegate.delegate_actions = {of_tomorrow("SplitShard")};
    receipt.actions = {delegate};
    auto failing = executed(receipt);
    failing.outcome.status.kind = StatusKind::failure;
    failing.outcome.status.failure_json =
        R"({"ActionError":{"index":0,"kind":{"ShardOnFire":{"shard_id":3}}}})";
    chain.add_block(11).shards[0].executed.push_back(failing);
    const auto batch = rows_of(chain.blocks());
    EXPECT_EQ(batch.facts.new_kinds.names(),
              (Names{{"action", "split_shard"}, {"action", "teleport"}, {"error", "shard_on_fire"}}));
    EXPECT_EQ(row_with(read_rows(batch, Table::transactions), "tx_hash", "TX")["actions"],
              sent.transaction.actions_json);
    EXPECT_EQ(row_with(read_rows(batch, Table::receipts), "receipt_id", "R1")["error_class"],
              "shard_on_fire");
    EXPECT_EQ(row_with(read_rows(batch, Table::transaction_results), "tx_hash", "TX")["error_class"],
              "shard_on_fire");
}

TEST(NewKinds, OfReceiptsAreNamedByTheirBody) {
    ChainBuilder chain;
    auto receipt = action_receipt("R1", "alice.near", "bob.near", "alice.near");
    receipt.kind = ReceiptKind::unknown;
    receipt.json = R"({"GlobalYield":{}})";
    chain.add_block(10).shards[0].executed.push_back(executed(receipt));
    EXPECT_EQ(rows_of(chain.blocks()).facts.new_kinds.names(), (Names{{"receipt", "global_yield"}}));
}

TEST(NewKinds, AreNoneInWhatIsKnown) {
    EXPECT_TRUE(rows_of(testing::swap_chain().blocks()).facts.new_kinds.empty());
}

TEST(NewKinds, ThatAHostMakesUpAreFew) {
    NewKinds kinds;
    for (unsigned i = 0; i < 10 * NewKinds::kMost; ++i) kinds.add("action", "a" + std::to_string(i));
    EXPECT_EQ(kinds.names().size(), NewKinds::kMost);
}

// In recorded blocks, an action that is known by another name changes no number of rows.
TEST(NewKinds, CostARecordedBlockNoRow) {
    const auto file = test::read_file(RECEIPTD_TEST_DATA "/recorded/whole-block/107503704.json");
    const auto rows = [](std::string text) {
        const auto decoded = decode_whole_block(std::move(text));
        EXPECT_TRUE(decoded);
        Lineage lineage;
        LiveTrees live;
        return whole_block_rows(decoded->value, std::nullopt, {}, lineage, &live);
    };
    const auto known = rows(file);
    const auto unknown = rows(boost::replace_all_copy(file, "\"Transfer\"", "\"Teleport\""));
    EXPECT_EQ(unknown.facts.new_kinds.names(), (Names{{"action", "teleport"}}));
    EXPECT_TRUE(known.facts.new_kinds.empty());
    for (std::size_t table = 0; table < kTableCount; ++table)
        EXPECT_EQ(known.tables[table].rows, unknown.tables[table].rows)
            << table_spec(static_cast<Table>(table)).name;
}

}  // namespace
}  // namespace receiptd::chain
