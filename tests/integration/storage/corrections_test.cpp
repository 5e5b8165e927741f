// What was told and does not hold is taken back: in findings, alerts, the stream and the transitions of
// watches.
#include "storage/pg_delivery_store.hpp"
#include "storage/rejudge.hpp"
#include "trees_on_paper.hpp"
#include "watch_test_support.hpp"

#include <gmock/gmock.h>

namespace receiptd::test {
namespace {

using testing::HasSubstr;

constexpr const char* kCorrections =
    "SELECT finding_id, error_class, correction #>> '{told,kind}', correction #>> '{true,verdict}', "
    "correction ->> 'why' FROM findings WHERE kind = 'corrected' ORDER BY 1";

// The tree of unconnected_blocks(): its findings are told to an endpoint.
class Corrections : public WatchStoreTest {
protected:
    const std::string tx_hash = hash_of(1);

    void commit_and_settle(RowBatch batch) {
        const auto height = batch.facts.blocks.front().height;
        commit(std::move(batch));
        await(store().orphans.adopt_orphans({height, height}));
        await(store().trees.settle_trees({height, height}, {}));
    }
    void tell_all() {
        execute("INSERT INTO endpoints (name) VALUES ('ops'); " + kAllTakeTheDefaultRule);
        for (auto& block : unconnected_blocks(tx_hash)) commit_and_settle(std::move(block));
        ASSERT_EQ(value("SELECT count(*) FROM alerts"), "2");
    }
    void watch_it(const std::string& verdict) {
        execute(
            "INSERT INTO watches (tx_hash, sender_id, stage, verdict, conclusive, valid_until, "
            "watched_since) "
            "VALUES ('" +
            tx_hash + "', 'alice.near', 'final', '" + verdict + "', true, 500, 99)");
        tell("final:" + tx_hash, "final");
    }
    void tell(const std::string& alert_id, const std::string& kind) {
        execute("INSERT INTO alerts (alert_id, kind, tx_hash) VALUES ('" + alert_id + "', '" + kind + "', '" +
                tx_hash + "'); INSERT INTO deliveries (alert_id, endpoint) VALUES ('" + alert_id +
                "', 'ops')");
    }
    void commit_next_day() {
        RowBatch next_day;
        constexpr std::uint64_t kTime = kFirstTime + 90'100ull * 1'000'000'000;
        next_day.facts.blocks.push_back({200, "hash200", "hash199", 199, kTime});
        next_day.facts.covered.add(200);
        add_line(next_day, Table::blocks,
                 {"200", "hash200", "hash199", "199", "2022-10-20 01:01:40+00", std::to_string(kTime),
                  "node.near", "epoch", "1", "1", "100000000", "1000", "83"});
        commit(std::move(next_day));
    }
    // The alert says handled, and the finding is not.
    void tell_otherwise() {
        tell_all();
        execute("UPDATE alerts SET handled = true WHERE alert_id = 'failed_receipt:B'");
    }
    void list_again(base::Height height) {
        auto again = block_batch(height);
        add_transaction(again, {tx_hash});
        add_pending(again, tx_hash);
        commit(std::move(again));
    }
    void come_back_with(base::Height height) {
        await(store().blocks.remove_block(height));
        commit_and_settle(std::move(unconnected_blocks(tx_hash)[height - 100]));
        for (bool more = true; more;) more = await(store().trees.judge_late_trees(false, {})).more;
        await(store().trees.settle_trees({height, height}, {}));
        EXPECT_EQ(value("SELECT count(*) FROM pending_trees"), "1");
    }
    void rejudge() { await(storage::Rejudging(store().database).rejudge({100, 104})); }
    std::string told() {
        return rows(
            "SELECT alert_id, endpoint FROM deliveries JOIN alerts USING (alert_id) "
            "WHERE kind = 'corrected' ORDER BY 1");
    }
    std::string streamed(const std::string& kind) {
        return value("SELECT count(*) FROM stream_events WHERE kind = '" + kind + "'");
    }
};

TEST_F(Corrections, OfFindingsThatTheRulesOfThisProgramDoNotGive) {
    tell_all();
    execute(
        "INSERT INTO findings (finding_id, kind, tx_hash, tree_id, signer_id, block_time) "
        "SELECT id, 'failed_receipt', tx_hash, tx_hash, 'alice.near', block_time FROM transaction_results, "
        "  unnest(ARRAY['failed_receipt:F', 'failed_receipt:untold']) AS id");
    tell("failed_receipt:F", "failed_receipt");
    for (int i = 0; i < 2; ++i) rejudge();
    EXPECT_EQ(rows(kCorrections),
              "corrected:failed_receipt:F:gone:1|failed_receipt|failed_receipt|callback_failed|judged "
              "again by the rules of this program\n");
    EXPECT_EQ(told(), "corrected:failed_receipt:F:gone:1|ops\n");
    EXPECT_EQ(streamed("finding"), "3");
    EXPECT_EQ(value("SELECT count(*) FROM findings WHERE kind = 'failed_receipt'"), "2");
}

TEST_F(Corrections, DoNotReachWhomASilenceKeptFromTheFinding) {
    tell_all();
    execute(
        "INSERT INTO findings (finding_id, kind, tx_hash, tree_id, signer_id, block_time) "
        "SELECT 'failed_receipt:F', 'failed_receipt', tx_hash, tx_hash, 'alice.near', block_time "
        "FROM transaction_results");
    tell("failed_receipt:F", "failed_receipt");
    execute(
        "INSERT INTO deliveries (alert_id, endpoint) VALUES ('failed_receipt:F', 'lab'); "
        "UPDATE deliveries SET state = 'silenced' WHERE endpoint = 'ops'");
    rejudge();
    EXPECT_EQ(told(), "corrected:failed_receipt:F:gone:1|lab\n");
}

TEST_F(Corrections, OfATreeThatWasJudgedWithoutAReceiptThatDecidesIt) {
    tell_all();
    watch_it("callback_failed");
    execute(
        "UPDATE receipts SET predecessor_id = NULL, signer_id = NULL, role = NULL, actions = NULL, "
        "input_data_ids = NULL, output_data_ids = NULL WHERE receipt_id = 'C'");
    for (int i = 0; i < 2; ++i) rejudge();
    EXPECT_EQ(value("SELECT count(*) FROM transaction_results"), "0");
    EXPECT_EQ(value("SELECT count(*) FROM findings WHERE kind <> 'corrected'"), "0");
    EXPECT_EQ(value("SELECT count(*) FROM findings WHERE kind = 'corrected'"), "3");
    EXPECT_EQ(rows("SELECT stage, verdict, reason FROM watches"), "final|-|receipts_missing\n");
    EXPECT_EQ(rows("SELECT tx_hash, stored_part FROM pending_trees"), tx_hash + "|rows\n");
}

TEST_F(Corrections, OfTheVerdictOfAWatchThatWasTold) {
    tell_all();
    watch_it("failed");
    execute("UPDATE watches SET safe_to_resign_after_height = 0");
    for (int i = 0; i < 2; ++i) rejudge();
    EXPECT_EQ(told(), "corrected:final:" + tx_hash + ":callback_failed:1|ops\n");
    EXPECT_EQ(rows("SELECT stage, verdict, reason, safe_to_resign_after_height FROM watches"),
              "final|callback_failed|gas_exceeded|-\n");
    EXPECT_EQ(rows("SELECT from_stage, to_stage, evidence #>> '{corrects,told,verdict}', "
                   "evidence #>> '{corrects,true,verdict}' FROM watch_transitions"),
              "final|final|failed|callback_failed\n");
    EXPECT_EQ(value("SELECT body ->> 'verdict' FROM stream_events WHERE kind = 'transition'"),
              "callback_failed");
}

TEST_F(Corrections, OfFindingsThatComeBackWithTheirBlockThereAreNone) {
    tell_all();
    await(store().blocks.remove_block(102));
    EXPECT_EQ(rows(kCorrections), "") << "nobody knows yet";
    commit_and_settle(std::move(unconnected_blocks(tx_hash)[2]));
    EXPECT_EQ(value("SELECT count(*) FROM findings"), "2");
    EXPECT_EQ(told(), "");
}

TEST_F(Corrections, OfATransactionThatTheChainDoesNotHave) {
    tell_all();
    watch_it("callback_failed");
    await(store().blocks.remove_block(100));
    EXPECT_EQ(told(), "corrected:final:" + tx_hash + ":accepted:1|ops\n") << "its end is taken back at once";
    EXPECT_EQ(
        rows("SELECT stage, verdict, conclusive, safe_to_resign_after_height, watched_since FROM watches"),
        "accepted|-|f|500|-\n");
    EXPECT_EQ(rows("SELECT from_stage, to_stage, evidence ->> 'why', evidence #>> '{corrects,verdict}' "
                   "FROM watch_transitions"),
              "final|accepted|the block at height 100 was not of this chain|callback_failed\n");
    commit_and_settle(block_batch(100));
    EXPECT_EQ(told(), "corrected:final:" + tx_hash + ":accepted:1|ops\n") << "a later block may have it";
    commit_next_day();
    await(store().trees.settle_trees({100, 100}, {}));
    EXPECT_EQ(
        told(),
        "corrected:failed_receipt:B:gone:1|ops\ncorrected:failed_receipt:C:gone:1|ops\ncorrected:final:" +
            tx_hash + ":accepted:1|ops\n");
    EXPECT_THAT(rows(kCorrections),
                HasSubstr("the chain does not have it: the block at height 100 was not of this"));
    await(store().trees.settle_trees({100, 100}, {}));
    EXPECT_EQ(value("SELECT count(*) FROM findings WHERE kind = 'corrected'"), "3");
}

TEST_F(Corrections, WakeWhoDeliversThem) {
    unsigned woken = 0;
    store().database.on_alerts = [&] { ++woken; };
    tell_all();
    watch_it("callback_failed");
    woken = 0;
    await(store().blocks.remove_block(100));
    EXPECT_EQ(woken, 1u) << "of the end of a watch";
    await(store().maintain());
    EXPECT_EQ(woken, 1u) << "nothing else is known yet";
    commit(block_batch(100));
    commit_next_day();
    await(store().maintain());
    EXPECT_EQ(woken, 2u);
}

TEST_F(Corrections, BeginAWatchAnewThatARemovedBlockHasMovedThoughNothingOfItIsStored) {
    tell_all();
    execute(
        "INSERT INTO watches (tx_hash, sender_id, stage, valid_until) SELECT '" + hash_of(2) +
        "', 'bob.near', 'included', 500; "
        "INSERT INTO watch_transitions (tx_hash, from_stage, to_stage, block_height, block_time, evidence) "
        "SELECT '" +
        hash_of(2) +
        "', 'accepted', 'included', 101, block_time, '{}' FROM blocks "
        "WHERE block_height = 101");
    await(store().blocks.remove_block(103));
    EXPECT_EQ(rows("SELECT stage FROM watches"), "included\n");
    await(store().blocks.remove_block(101));
    EXPECT_EQ(rows("SELECT stage, watched_since FROM watches"), "accepted|-\n");
}

TEST_F(Corrections, AWatchIsNotMovedByWhatWasReadBeforeItsBlockWasRemoved) {
    tell_all();
    for (const char* stage : {"accepted", "included"}) {
        execute("DELETE FROM watches");
        execute("INSERT INTO watches (tx_hash, sender_id, stage, watched_since) VALUES ('" + tx_hash +
                "', 'alice.near', '" + stage + "', 99)");
        auto judged = step_update(tx_hash, Stage::accepted, Stage::included);
        judged.judged_with = 99;
        await(store().blocks.remove_block(100));
        EXPECT_THAT(update(judged), testing::ElementsAre(tx_hash)) << stage;
        EXPECT_EQ(rows("SELECT stage, watched_since FROM watches"), "accepted|-\n") << stage;
        commit(std::move(unconnected_blocks(tx_hash)[0]));
    }
}

// As a program with other rules had judged the tree: its finding B was taken back.
TEST_F(Corrections, OfAFindingThatComesBackIsFollowedByAnAlertOfItsOwn) {
    tell_all();
    execute(
        "INSERT INTO findings (finding_id, kind, tx_hash, tree_id, signer_id, block_time) "
        "SELECT 'corrected:failed_receipt:B:gone:1', 'corrected', tx_hash, tx_hash, 'alice.near', block_time "
        "FROM transaction_results; DELETE FROM findings WHERE finding_id = 'failed_receipt:B'");
    for (int i = 0; i < 2; ++i) rejudge();
    EXPECT_EQ(rows("SELECT alert_id, telling, handled FROM alerts ORDER BY 1"),
              "failed_receipt:B|1|f\nfailed_receipt:B:2|2|f\nfailed_receipt:C|1|f\n");
    EXPECT_EQ(rows("SELECT body ->> 'finding_id' FROM stream_events WHERE body ->> 'telling' = '2'"),
              "failed_receipt:B\n");
    storage::PgDeliveryStore deliveries(store().database);
    const auto due = await(deliveries.claim_deliveries({{"ops", 10}}, std::chrono::seconds(30))).due;
    ASSERT_EQ(due.size(), 3u);
    const auto causes = await(deliveries.causes(due));
    EXPECT_EQ(causes.at("failed_receipt:B:2").finding->receipt_id, "B");
    EXPECT_EQ(causes.at("failed_receipt:B:2").finding->finding_id, "failed_receipt:B");
}

TEST_F(Corrections, OfOneFindingAreAsManyAsItWasTold) {
    tell_all();
    execute(
        "INSERT INTO findings (finding_id, kind, tx_hash, tree_id, signer_id, block_time) "
        "SELECT id, kind, tx_hash, tx_hash, 'alice.near', block_time FROM transaction_results, "
        "  (VALUES ('failed_receipt:F', 'failed_receipt'), ('corrected:failed_receipt:F:gone:1', "
        "'corrected')) "
        "  AS told (id, kind); "
        "INSERT INTO alerts (alert_id, kind, tx_hash, telling) SELECT id, 'failed_receipt', tx_hash, telling "
        "FROM transaction_results, (VALUES ('failed_receipt:F', 1), ('failed_receipt:F:2', 2)) "
        "  AS told (id, telling); "
        "INSERT INTO deliveries (alert_id, endpoint) VALUES ('failed_receipt:F:2', 'ops')");
    for (int i = 0; i < 2; ++i) rejudge();
    EXPECT_EQ(told(), "corrected:failed_receipt:F:gone:2|ops\n");
}

TEST_F(Corrections, OfFindingsOfWhichItWasToldOtherwiseWhetherTheyWereHandled) {
    tell_all();
    execute(
        "UPDATE findings SET handled = true WHERE finding_id = 'failed_receipt:B'; "
        "UPDATE alerts SET handled = true WHERE alert_id = 'failed_receipt:B'");
    for (int i = 0; i < 2; ++i) rejudge();
    EXPECT_EQ(told(), "corrected:failed_receipt:B:unhandled:1|ops\n");
    EXPECT_EQ(rows("SELECT correction #>> '{told,handled}', correction #>> '{true,handled}', error_text "
                   "FROM findings WHERE kind = 'corrected'"),
              "true|false|it was told as failed_receipt that was handled, which does not hold: judged again "
              "by the rules of this program\n");
    EXPECT_EQ(rows("SELECT alert_id, handled FROM alerts WHERE kind = 'failed_receipt' ORDER BY 1"),
              "failed_receipt:B|f\nfailed_receipt:C|f\n");
}

TEST_F(Corrections, OfFindingsThatComeBackOtherwiseWithTheirBlock) {
    tell_otherwise();
    await(store().blocks.remove_block(102));
    commit_and_settle(std::move(unconnected_blocks(tx_hash)[2]));
    for (int i = 0; i < 2; ++i) await(store().trees.settle_trees({102, 102}, {}));
    EXPECT_EQ(told(), "corrected:failed_receipt:B:unhandled:1|ops\n");
}

// Source rpc: hosts know one execution of a hash, and nobody tells the tree of its other listing.
TEST_F(Corrections, DoNotWaitForAHigherListingOfTheHashOfWhichNothingIsTold) {
    tell_otherwise();
    list_again(105);
    come_back_with(102);
    EXPECT_EQ(told(), "corrected:failed_receipt:B:unhandled:1|ops\n");
}

TEST_F(Corrections, DoNotWaitForALowerListingOfTheHashOfWhichNothingIsTold) {
    tell_otherwise();
    list_again(99);
    come_back_with(102);
    EXPECT_EQ(told(), "corrected:failed_receipt:B:unhandled:1|ops\n");
    EXPECT_EQ(value("SELECT correction #>> '{true,verdict}' FROM findings WHERE kind = 'corrected'"),
              "callback_failed");
}

TEST_F(Corrections, WaitForATreeThatIsFetchedAgain) {
    tell_otherwise();
    await(store().blocks.remove_block(102));
    execute(
        "INSERT INTO pending_trees (tx_hash, sender_id, block_height, block_hash, block_time, "
        "timestamp_nanosec) SELECT tx_hash, signer_id, block_height, 'hash100', block_time, 1 FROM "
        "transactions");
    commit_and_settle(std::move(unconnected_blocks(tx_hash)[2]));
    EXPECT_EQ(told(), "");
}

TEST_F(Corrections, WaitForATransactionThatAnotherBlockListsAfterItsOwnWasRemoved) {
    tell_otherwise();
    await(store().blocks.remove_block(100));
    list_again(100);
    await(store().trees.settle_trees({100, 100}, {}));
    EXPECT_EQ(told(), "");
}

}  // namespace
}  // namespace receiptd::test
