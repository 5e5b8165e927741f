// Orphans end up in the same tree whatever order the blocks were committed in.
#include "metrics/registry.hpp"
#include "store_test_support.hpp"
#include "support/orders.hpp"

#include <chrono>
#include <future>

namespace receiptd::test {
namespace {

constexpr const char* kReceipts =
    "SELECT receipt_id, tree_id, tx_hash, parent_receipt_id, role FROM receipts ORDER BY 1";
constexpr const char* kEvents = "SELECT receipt_id, tree_id, tx_hash FROM events ORDER BY 1";
constexpr const char* kData = "SELECT data_id, tree_id, tx_hash FROM data_receipts ORDER BY 1";

// As four followers that each saw one block alone would write the tree
//   T -> A -> B (deletes its account) -> P (payout), A -> C (callback of B, awaits d), C -> F (refund)
std::vector<RowBatch> blocks_seen_alone() {
    std::vector<RowBatch> blocks;
    blocks.push_back(block_batch(100));
    add_transaction(blocks.back(), {"T", "A"});

    blocks.push_back(block_batch(101));
    add_receipt(blocks.back(), 101,
                {"A", "A", "", "", "", "{B,C}", "alice.near", "bob.near", "success_value", "[]", "", "", "",
                 "started", true});

    blocks.push_back(block_batch(102));
    add_receipt(blocks.back(), 102,
                {"B", "B", "", "", "promise", "{P}", "bob.near", "old.near", "success_value",
                 R"([{"DeleteAccount":{"beneficiary_id":"bob.near"}}])", "", "{d}", "", "", true});

    blocks.push_back(block_batch(103));
    add_data(blocks.back(), "d", "rd", "", true);
    add_receipt(blocks.back(), 103,
                {"C", "C", "", "", "callback", "{F}", "bob.near", "bob.near", "failure",
                 R"([{"FunctionCall":{"args_json":{"note":"DeleteAccount"}}}])", "{d}", "",
                 "FunctionCallError", "", true});
    add_receipt(blocks.back(), 103,
                {"P", "P", "", "", "", "{}", "system", "bob.near", "success_value",
                 R"([{"Transfer":{"deposit":"1"}}])", "", "", "", "", true, "system"});

    blocks.push_back(block_batch(104));
    add_receipt(blocks.back(), 104,
                {"F", "F", "", "", "refund", "{}", "system", "alice.near", "success_value",
                 R"([{"Transfer":{"deposit":"1"}}])", "", "", "", "", true});
    return blocks;
}

using Adoption = StoreTest;

TEST_F(Adoption, SeamsAreRememberedWithTheCommitThatMakesThemUntilTheyAreForgotten) {
    const auto commit_of_seam = [&](base::Height height, chain::Seam seam) {
        auto batch = block_batch(height);
        batch.facts.seam = seam;
        EXPECT_EQ(commit(std::move(batch)), CommitOutcome::committed);
    };
    const auto pending = [&] {
        std::string text;
        for (const auto& seam : await(store().orphans.pending_seams(std::chrono::seconds(0))))
            text += std::to_string(seam.from) + "-" + std::to_string(seam.to) + (seam.history ? "h " : " ");
        return text;
    };
    commit(block_batch(99));
    commit_of_seam(100, {100, 100, true});
    commit_of_seam(102, {100, 102, true});
    commit_of_seam(101, {100, 101, true});  // another writer was faster
    commit_of_seam(200, {200, 200, false});
    EXPECT_EQ(pending(), "100-102h 200-200 ");
    EXPECT_TRUE(await(store().orphans.pending_seams(std::chrono::seconds(60))).empty());
    await(store().orphans.forget_seam({100, 101, true}));
    EXPECT_EQ(pending(), "100-102h 200-200 ") << "it has grown since";
    await(store().orphans.forget_seam({100, 102, true}));
    await(store().orphans.forget_seam({200, 200, false}));
    EXPECT_EQ(pending(), "");
}

TEST_F(Adoption, GivesTheSameRowsInWhateverOrderTheyAreCommitted) {
    for (const auto& order : orders_of(5)) {
        const auto blocks = blocks_seen_alone();
        std::string said;
        for (const auto index : order) {
            commit(blocks[index]);
            const auto height = blocks[index].facts.blocks.front().height;
            await(store().orphans.adopt_orphans({height, height}));
            said += std::to_string(index);
        }
        ASSERT_EQ(rows(kReceipts),
                  "A|T|T|-|initial\nB|T|T|A|promise\nC|T|T|A|callback\nF|T|T|C|refund\nP|T|T|B|payout\n")
            << said;
        ASSERT_EQ(rows(kEvents), "A|T|T\n") << said;
        ASSERT_EQ(rows(kData), "d|T|T\n") << said;
        ASSERT_EQ(value("SELECT count(*) FROM orphan_receipts WHERE adopted_at IS NULL"), "0") << said;
        // Deleted rows of these would slow down each order after the first.
        execute(
            "TRUNCATE receipts, orphan_receipts; DELETE FROM blocks; DELETE FROM transactions; "
            "DELETE FROM events; DELETE FROM data_receipts; UPDATE coverage SET heights = '{}'");
    }
}

TEST_F(Adoption, IsTheSameOnceAtTheEnd) {
    for (auto& block : blocks_seen_alone()) commit(std::move(block));
    await(store().orphans.adopt_orphans({100, 104}));
    EXPECT_EQ(rows(kReceipts),
              "A|T|T|-|initial\nB|T|T|A|promise\nC|T|T|A|callback\nF|T|T|C|refund\nP|T|T|B|payout\n");
    EXPECT_EQ(store().series.adopted.Value(), 6);
    await(store().orphans.adopt_orphans({100, 104}));
    EXPECT_EQ(store().series.adopted.Value(), 6) << "a second time changes nothing";
}

TEST_F(Adoption, MovesRowsThatComeLaterUnderTheOldName) {
    auto blocks = blocks_seen_alone();
    for (int i : {2, 1, 0}) commit(std::move(blocks[static_cast<std::size_t>(i)]));
    await(store().orphans.adopt_orphans({100, 102}));
    // The follower that began at 102 goes on and calls the tree B.
    auto next = block_batch(103);
    add_receipt(next, 103, {"P", "B", "", "B", "payout", "{}", "system", "bob.near"});
    add_data(next, "d", "B", "", false);
    commit(std::move(next));
    await(store().orphans.adopt_orphans({103, 103}));
    EXPECT_EQ(rows(kReceipts), "A|T|T|-|initial\nB|T|T|A|promise\nP|T|T|B|payout\n");
    EXPECT_EQ(rows(kData), "d|T|T\n");
}

TEST_F(Adoption, NamesATreeAfterItsEarliestKnownReceiptWhileTheTransactionIsUnknown) {
    auto blocks = blocks_seen_alone();
    for (std::size_t i = 1; i < blocks.size(); ++i) commit(std::move(blocks[i]));
    await(store().orphans.adopt_orphans({101, 104}));
    EXPECT_EQ(rows(kReceipts),
              "A|A|-|-|-\nB|A|-|A|promise\nC|A|-|A|callback\nF|A|-|C|refund\nP|A|-|B|payout\n");
    EXPECT_EQ(rows(kData), "d|A|-\n");
}

TEST_F(Adoption, LearnsTheTransactionFromAChildThatKnowsIt) {
    auto first = block_batch(101);
    add_receipt(first, 101,
                {"A", "A", "", "", "promise", "{B}", "alice.near", "bob.near", "success_value", "[]", "", "",
                 "", "", true});
    auto second = block_batch(102);
    add_receipt(second, 102,
                {"B", "T", "T", "", "detached", "{}", "bob.near", "carol.near", "success_value", "[]", "", "",
                 "", "", true});
    commit(std::move(second));
    commit(std::move(first));
    await(store().orphans.adopt_orphans({101, 102}));
    EXPECT_EQ(rows(kReceipts), "A|T|T|-|promise\nB|T|T|A|detached\n");
}

// T -> A returns B, B returns C; A makes D beside it, D returns E. Written by followers that began with B and
// D.
TEST_F(Adoption, GivesWhatOrphansReturnedItsRole) {
    const auto returning = [](ReceiptRow row, const std::string& child) {
        row.status = "success_receipt_id";
        row.result = child;
        return row;
    };
    const auto orphan = [](ReceiptRow row) {
        row.orphan = true;
        return row;
    };
    auto second = block_batch(102);
    add_receipt(second, 102, orphan(returning({"B", "B", "", "", "", "{C}"}, "C")));
    add_receipt(second, 102, orphan(returning({"D", "D", "", "", "", "{E}"}, "E")));
    commit(std::move(second));
    auto third = block_batch(103);
    add_receipt(third, 103, {"C", "B", "", "B", ""});
    commit(std::move(third));
    await(store().orphans.adopt_orphans({102, 102}));
    EXPECT_EQ(rows("SELECT receipt_id, role FROM receipts ORDER BY 1"), "B|-\nC|-\nD|-\n");

    auto first = block_batch(101);
    add_receipt(first, 101, returning({"A", "T", "T", "", "initial", "{B,D}"}, "B"));
    commit(std::move(first));
    await(store().orphans.adopt_orphans({102, 102}));
    EXPECT_EQ(rows("SELECT receipt_id, role FROM receipts ORDER BY 1"),
              "A|initial\nB|returned\nC|returned\nD|detached\n");

    auto late = block_batch(104);  // its follower does not know of the adoption
    add_receipt(late, 104, {"E", "T", "T", "D", ""});
    commit(std::move(late));
    await(store().orphans.adopt_orphans({102, 102}));
    EXPECT_EQ(value("SELECT role FROM receipts WHERE receipt_id = 'E'"), "detached");
}

TEST_F(Adoption, LeavesOrphansWhoseParentNeverComes) {
    auto batch = block_batch(105);
    add_receipt(batch, 105,
                {"Z", "Z", "", "", "refund", "{}", "system", "bob.near", "success_value", "[]", "", "", "",
                 "", true});
    commit(std::move(batch));
    await(store().orphans.adopt_orphans({105, 105}));
    EXPECT_EQ(rows(kReceipts), "Z|Z|-|-|refund\n");
    EXPECT_EQ(value("SELECT count(*) FROM orphan_receipts WHERE adopted_at IS NULL"), "1");
}

// A run knows of the receipt that awaits by a block before the lost one: it is no orphan.
TEST_F(Adoption, FindsWhatAwaitsDataWhoseProducerIsInALostBlock) {
    await(store().blocks.record_unavailable({100, "UNKNOWN_BLOCK", "nobody has it", 1}));
    auto data = block_batch(101);
    add_data(data, "d", "rd", "", true);
    commit(std::move(data));
    auto awaiting = block_batch(102);
    add_receipt(
        awaiting, 102,
        {"W", "T", "T", "A", "callback", "{}", "bob.near", "bob.near", "success_value", "[]", "{d,e}"});
    commit(std::move(awaiting));
    await(store().orphans.adopt_orphans({101, 102}));
    EXPECT_EQ(rows(kData), "d|T|T\n");
}

TEST_F(Adoption, OpensNoPartitionsOfOtherDays) {
    auto batch = block_batch(105);
    add_receipt(batch, 105,
                {"Z", "Z", "", "", "refund", "{}", "system", "bob.near", "success_value", "[]", "{d}", "", "",
                 "", true});
    add_data(batch, "x", "rx", "", true);
    commit(std::move(batch));
    execute("SELECT make_partitions('2030-01-01', '2030-01-01')");
    const auto other = storage::shim::connect(database().url());
    pqxx::work tx(*other);
    tx.exec(
        "SET search_path = receiptd_partitions; LOCK TABLE receipts_p20300101, transactions_p20300101, "
        "data_receipts_p20300101");
    auto adoption = std::async([&] { await(store().orphans.adopt_orphans({105, 105})); });
    bool waits_for_a_lock = false;
    while (!waits_for_a_lock && adoption.wait_for(std::chrono::milliseconds(10)) != std::future_status::ready)
        waits_for_a_lock = value(
                               "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                               "AND wait_event_type = 'Lock'") != "0";
    tx.abort();
    adoption.get();
    EXPECT_FALSE(waits_for_a_lock);
}

}  // namespace
}  // namespace receiptd::test
