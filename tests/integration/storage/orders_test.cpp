// Pending trees and backfill orders.
#include "storage/pg_watch_store.hpp"
#include "store_test_support.hpp"

namespace receiptd::test {
namespace {

using namespace std::chrono_literals;

class Trees : public StoreTest {
protected:
    void SetUp() override {
        StoreTest::SetUp();
        if (IsSkipped()) return;
        auto batch = block_batch(100);
        add_transaction(batch, {"T"});
        add_pending(batch, "T");
        commit(std::move(batch));
        auto listing = block_batch(102);
        add_data(listing, "D", "rD", "", false);
        commit(std::move(listing));
    }

    static chain::TreeRows tree() {
        chain::TreeRows rows;
        add_receipt(rows.batch, 101,
                    {"A", "T", "T", "", "initial", "{}", "alice.near", "bob.near", "success_value", "[]", "",
                     "", "", "ft_mint"});
        rows.completion.tx_hash = "T";
        rows.completion.block_timestamp_nanosec = kFirstTime + 100'000'000'000ull;
        rows.completion.status = "success_receipt_id";
        rows.completion.initial_receipt_id = "A";
        rows.completion.gas_burnt = 42;
        rows.completion.tokens_burnt = "340282366920938463463374607431768211455";
        rows.completion.data_ids = {"D"};
        return rows;
    }
};

TEST_F(Trees, AreDueAtOnceAndAgainAfterADelay) {
    const auto due = await(store().trees.due_trees(10, base::kAllHeights));
    ASSERT_EQ(due.size(), 1u);
    EXPECT_EQ(due[0].tx_hash, "T");
    EXPECT_EQ(due[0].included_in.hash, "hash100");
    EXPECT_EQ(due[0].shard_id, 3u);
    EXPECT_EQ(due[0].included_in.timestamp_nanosec, kFirstTime + 100'000'000'000ull);

    await(store().trees.postpone_tree(pending_tree("T", 100), 1h, "receipts still to execute"));
    EXPECT_TRUE(await(store().trees.due_trees(10, base::kAllHeights)).empty());
    EXPECT_EQ(await(store().trees.pending_tree_count(base::kAllHeights)), 1u);
    EXPECT_EQ(rows("SELECT attempts, reason FROM pending_trees"), "1|receipts still to execute\n");
}

TEST_F(Trees, ThatSomebodyElseFinishedAreNotDue) {
    auto judged = block_batch(103);
    add_line(judged, Table::transaction_results,
             {"T", "T", "100", time_text(100), "alice.near", "bob.near", "succeeded", kNull, kNull, "100",
              "103", time_text(103), "103", "1", "0", "1", "1"});
    commit(std::move(judged));
    execute("UPDATE transactions SET status = 'failure'");
    EXPECT_TRUE(await(store().trees.due_trees(10, base::kAllHeights)).empty());
    EXPECT_EQ(await(store().trees.pending_tree_count(base::kAllHeights)), 0u);
}

TEST_F(Trees, ThatTheChainDroppedHaveFailed) {
    const auto may_be_discarded = [this](const std::string& protocol_version) {
        execute("UPDATE pending_trees SET due_at = now(); UPDATE blocks SET protocol_version = " +
                protocol_version);
        return await(store().trees.due_trees(10, base::kAllHeights)).at(0).may_be_discarded;
    };
    EXPECT_FALSE(may_be_discarded("73"));
    EXPECT_FALSE(may_be_discarded("83")) << "it leaves an outcome";
    EXPECT_TRUE(may_be_discarded("82"));
    execute("UPDATE pending_trees SET due_at = now()");
    const auto tree = await(store().trees.due_trees(10, base::kAllHeights)).at(0);
    const auto decided = await(store().trees.discard_tree(tree, {base::WallTime::max()}));
    EXPECT_EQ(decided.verdicts, (std::map<chain::Verdict, std::uint64_t>{{chain::Verdict::failed, 1}}));
    EXPECT_TRUE(await(store().trees.discard_tree(tree, {base::WallTime::max()})).verdicts.empty());
    EXPECT_EQ(rows("SELECT status, error_class FROM transactions"), "failure|discarded\n");
    EXPECT_EQ(
        rows("SELECT verdict, near_status, error_class, included_height, receipts FROM transaction_results"),
        "failed|-|discarded|100|0\n");
    EXPECT_EQ(rows("SELECT finding_id, error_class FROM findings"), "failed_transaction:T|discarded\n");
    EXPECT_EQ(value("SELECT count(*) FROM alerts"), "0");
    EXPECT_EQ(await(store().trees.pending_tree_count(base::kAllHeights)), 0u);
}

TEST_F(Trees, ThatTheChainDroppedAreToldOnceIfTheyAreNews) {
    execute("INSERT INTO endpoints (name) VALUES ('ops'); " + kAllTakeTheDefaultRule);
    const auto tree = await(store().trees.due_trees(10, base::kAllHeights)).at(0);
    for (int i = 0; i < 2; ++i) await(store().trees.discard_tree(tree, {}));
    EXPECT_EQ(rows("SELECT alert_id, endpoint FROM deliveries"), "failed_transaction:T|ops\n");
    EXPECT_EQ(value("SELECT count(*) FROM stream_events WHERE kind = 'finding'"), "1");
}

TEST_F(Trees, AreOverdueWhenTheyArePendingForLongAndNoBackfillOrderedThem) {
    await(store().trees.postpone_tree(pending_tree("T", 100), 1h, "NO_HOST_TRACKS_SHARD: shard 3"));
    EXPECT_EQ(await(store().trees.overdue_trees(600s)).count, 0u);
    execute("UPDATE pending_trees SET placed_at = now() - interval '20 minutes'");
    const auto overdue = await(store().trees.overdue_trees(600s));
    EXPECT_EQ(overdue.count, 1u);
    EXPECT_EQ(overdue.oldest_tx_hash, "T");
    EXPECT_EQ(overdue.oldest_fault, "NO_HOST_TRACKS_SHARD: shard 3");
    EXPECT_GE(overdue.oldest_age, 20min);
    execute("INSERT INTO backfills (from_height, to_height) VALUES (90, 110)");
    EXPECT_EQ(await(store().trees.overdue_trees(600s)).count, 0u);
}

TEST_F(Trees, CompleteTheirTransactionAndTakeInTheirData) {
    await(store().trees.commit_tree(tree()));
    EXPECT_EQ(
        rows("SELECT status, initial_receipt_id, gas_burnt, tokens_burnt, error_class FROM transactions"),
        "success_receipt_id|A|42|340282366920938463463374607431768211455|-\n");
    EXPECT_EQ(rows("SELECT receipt_id, tree_id, tx_hash FROM receipts"), "A|T|T\n");
    EXPECT_EQ(rows("SELECT data_id, tree_id, tx_hash FROM data_receipts"), "D|T|T\n");
    EXPECT_EQ(await(store().trees.pending_tree_count(base::kAllHeights)), 0u);
}

TEST_F(Trees, TakeInDataOfABlockThatComesAfterThem) {
    auto early = tree();
    early.completion.data_ids = {"D", "L"};
    await(store().trees.commit_tree(std::move(early)));
    auto late = block_batch(101);
    add_data(late, "L", "rL", "", false);
    commit(std::move(late));
    EXPECT_EQ(rows("SELECT data_id, tree_id, tx_hash FROM data_receipts ORDER BY 1"), "D|T|T\nL|T|T\n");
    EXPECT_EQ(value("SELECT count(*) FROM orphan_receipts"), "0");
}

TEST_F(Trees, AreStoredOnceHoweverOftenTheyCome) {
    await(store().trees.commit_tree(tree()));
    await(store().trees.commit_tree(tree()));
    EXPECT_EQ(value("SELECT count(*) FROM receipts"), "1");
    EXPECT_EQ(value("SELECT count(*) FROM events"), "1");
}

TEST_F(Trees, LeaveReceiptsWhereBlocksHaveProvedThatTheyRan) {
    const auto place = [this](const std::string& shard_id, const std::string& index_in_chunk) {
        chain::TreeRows again;
        again.completion = tree().completion;
        again.completion.replaces_part = true;
        ReceiptRow row{"A", "T", "T"};
        row.shard_id = shard_id;
        row.index_in_chunk = index_in_chunk;
        add_receipt(again.batch, 101, row);
        execute(
            "INSERT INTO pending_trees (tx_hash, sender_id, block_height, block_hash, block_time, "
            "timestamp_nanosec) SELECT 'T', 'alice.near', 100, 'hash100', now(), " +
            std::to_string(again.completion.block_timestamp_nanosec) + " ON CONFLICT DO NOTHING");
        await(store().trees.commit_tree(std::move(again)));
        return rows("SELECT shard_id, index_in_chunk FROM receipts");
    };
    EXPECT_EQ(place("3", "17"), "3|17\n");
    EXPECT_EQ(place("3", ""), "3|17\n");
    EXPECT_EQ(place("", ""), "3|17\n");
    EXPECT_EQ(place("4", ""), "4|-\n") << "the place in a chunk of another shard";
    EXPECT_EQ(place("3", "5"), "3|5\n");
    execute("UPDATE receipts SET block_height = 102");
    EXPECT_EQ(place("3", ""), "3|-\n") << "the place in another block";
}

TEST_F(Trees, GoWithTheBlockOfTheirTransactionNotWithThoseInWhichTheyWereExecuted) {
    auto by_rpc = block_batch(101);
    by_rpc.facts.tell_outcomes = false;
    commit(std::move(by_rpc));
    await(store().trees.commit_tree(tree()));
    EXPECT_EQ(rows("SELECT block_height, shard_id IS NULL FROM receipts"), "101|f\n");
    await(store().blocks.remove_block(101));
    EXPECT_EQ(rows("SELECT receipt_id FROM receipts"), "A\n");
    EXPECT_EQ(value("SELECT count(*) FROM events"), "1");
    await(store().blocks.remove_block(100));
    EXPECT_EQ(value("SELECT (SELECT count(*) FROM receipts) + (SELECT count(*) FROM events)"), "0");
}

TEST_F(Trees, ThatRanInARemovedBlockInPartAreFetchedAgain) {
    auto by_rpc = block_batch(101);
    by_rpc.facts.tell_outcomes = false;
    commit(std::move(by_rpc));
    await(store().trees.commit_tree(tree()));
    EXPECT_EQ(value("SELECT count(*) FROM pending_trees"), "0");
    await(store().blocks.remove_block(101));
    EXPECT_EQ(rows("SELECT tx_hash, sender_id, block_height, block_hash FROM pending_trees"),
              "T|alice.near|100|hash100\n");
    EXPECT_EQ(rows("SELECT status FROM transactions"), "-\n") << "nobody judges what is stored of it";
    const auto due = await(store().trees.due_trees(10, base::kAllHeights));
    ASSERT_EQ(due.size(), 1u);
    EXPECT_EQ(due[0].included_in.height, 100u);
    await(store().trees.commit_tree(tree()));
    EXPECT_EQ(rows("SELECT status FROM transactions"), "success_receipt_id\n");
    EXPECT_EQ(value("SELECT count(*) FROM receipts"), "1");
}

TEST_F(Trees, OfABlockThatWasRemovedWhileTheyWereFetchedAreNotStored) {
    await(store().blocks.remove_block(100));
    await(store().trees.commit_tree(tree()));
    EXPECT_EQ(value("SELECT count(*) FROM receipts"), "0");
    commit(block_batch(100));
    execute(
        "INSERT INTO pending_trees (tx_hash, sender_id, block_height, block_hash, block_time, "
        "timestamp_nanosec) VALUES ('T', 'alice.near', 105, 'another', now(), 7)");
    await(store().trees.commit_tree(tree()));
    EXPECT_EQ(value("SELECT count(*) FROM receipts"), "0");
    EXPECT_EQ(value("SELECT block_hash FROM pending_trees"), "another") << "it waits for its own tree";
}

// Hosts know one execution of a hash: why there is no tree of the other one is still to be told.
TEST_F(Trees, OfOneListingOfAHashLeaveTheOtherOnePending) {
    auto again = block_batch(103);
    add_transaction(again, {"T"});
    add_pending(again, "T");
    commit(std::move(again));
    await(store().trees.commit_tree(tree()));
    EXPECT_EQ(rows("SELECT tx_hash, block_height FROM pending_trees"), "T|103\n");
    await(store().trees.postpone_tree(pending_tree("T", 103), 1s, "hosts give another execution"));
    EXPECT_EQ(rows("SELECT reason FROM unfinished_trees('-infinity') WHERE block_height = 103"),
              "hosts give another execution\n");
    storage::PgWatchStore watches(store().database, store().clock);
    const auto stored = await(watches.stored_trees({"T"})).at("T");
    ASSERT_EQ(stored.untold.size(), 1u);
    EXPECT_EQ(stored.untold[0].at.height, 103u);
    EXPECT_EQ(stored.untold[0].reason, "hosts give another execution");
}

TEST_F(Trees, OfOneListingOfAHashLeaveTheOtherOneLate) {
    auto late = block_batch(101);
    late.facts.late_trees.insert("T");
    commit(std::move(late));
    await(store().trees.commit_tree(tree()));
    EXPECT_EQ(value("SELECT count(*) FROM late_trees"), "0") << "it is the only one";
    auto again = block_batch(103);
    add_transaction(again, {"T"});
    again.facts.late_trees.insert("T");
    commit(std::move(again));
    execute("UPDATE transactions SET status = NULL WHERE block_height = 100");
    await(store().trees.commit_tree(tree()));
    EXPECT_EQ(rows("SELECT tx_hash FROM late_trees"), "T\n");
}

TEST_F(Trees, AreStoredWithoutReadingTheResultsOfOthers) {
    execute(
        "INSERT INTO transaction_results (tx_hash, tree_id, block_height, block_time, signer_id, "
        "receiver_id, verdict, included_height, completed_height, completed_time, settled_height, receipts, "
        "failed_receipts, gas_burnt, tokens_burnt) SELECT 'other ' || n, 'other ' || n, 100, at, 'a', 'b', "
        "'succeeded', 100, 100, at, 100, 1, 0, 0, 0 FROM generate_series(1, 5000) n, "
        "(SELECT block_time AS at FROM blocks WHERE block_height = 100) block; ANALYZE transaction_results");
    const auto counted = [&](const std::string& what) {
        return std::stoll(value("SELECT coalesce(sum(" + what +
                                "), 0) FROM pg_stat_user_tables WHERE relname LIKE 'transaction_results%'"));
    };
    const auto read = counted("seq_tup_read");
    const auto looks = counted("seq_scan + idx_scan");
    {
        OpenStore other(database().url());
        await(other.trees.commit_tree(tree()));
    }
    wait_until(database().url(),  // a session reports it when it ends
               "SELECT 1 FROM pg_stat_user_tables WHERE relname LIKE 'transaction_results%' "
               "HAVING sum(seq_scan + idx_scan) > " +
                   std::to_string(looks));
    EXPECT_EQ(counted("seq_tup_read"), read);
}

TEST_F(Trees, StoredByTwoDaemonsAtOnceAreThereOnce) {
    OpenStore other(database().url());
    boost::asio::io_context io;
    auto mine = boost::asio::co_spawn(io, store().trees.commit_tree(tree()), boost::asio::use_future);
    auto theirs = boost::asio::co_spawn(io, other.trees.commit_tree(tree()), boost::asio::use_future);
    io.run();
    mine.get();
    theirs.get();
    EXPECT_EQ(value("SELECT count(*) FROM receipts"), "1");
}

using Backfills = StoreTest;

TEST_F(Backfills, CanBeReleasedAndFinishedAndOrderedAnew) {
    const auto first = await(store().backfills.claim_backfill({1, 5}));
    await(store().backfills.release_backfill(first.id));
    OpenStore other(database().url());
    EXPECT_FALSE(await(other.backfills.claim_backfill({1, 5})).leased);
    await(other.backfills.finish_backfill(first.id));
    EXPECT_EQ(rows("SELECT state, finished_at IS NOT NULL, lease_owner FROM backfills"), "finished|t|-\n");
    EXPECT_TRUE(await(store().backfills.claim_abandoned_backfills()).empty());
    EXPECT_NE(await(store().backfills.claim_backfill({1, 5})).id, first.id);
}

}  // namespace
}  // namespace receiptd::test
