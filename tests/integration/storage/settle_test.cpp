// Trees that no follower saw as a whole are judged when all of them is stored; people are told of news once.
#include "chain/tree/facts.hpp"
#include "metrics/registry.hpp"
#include "metrics/watch_series.hpp"
#include "settling.hpp"
#include "support/orders.hpp"
#include "trees_on_paper.hpp"

#include <gmock/gmock.h>

namespace receiptd::test {
namespace {

using testing::HasSubstr;

constexpr const char* kResults =
    "SELECT tx_hash, verdict, error_class, included_height, completed_height, settled_height, receipts, "
    "failed_receipts, gas_burnt, tokens_burnt FROM transaction_results";
constexpr const char* kFindings =
    "SELECT finding_id, tx_hash, role, handled, contract_id, method_name, signer_id, error_class, "
    "block_height "
    "FROM findings ORDER BY 1";

TEST_F(Settling, ATreeThatIsJudgedAndHasLostAFindingIsLateAtTheEndOfItsBlocks) {
    for (auto& block : unconnected_blocks()) commit_and_settle(std::move(block));
    const auto findings = rows(kFindings);
    execute("DELETE FROM findings WHERE finding_id = 'failed_receipt:B'; DELETE FROM orphan_receipts");
    for (const base::Height from : {100, 105}) await(store().trees.make_late_across(from, false));
    EXPECT_EQ(value("SELECT count(*) FROM late_trees"), "0") << "it began above, and ended below";
    await(store().trees.make_late_across(103, false));
    EXPECT_EQ(value("SELECT count(*) FROM late_trees"), "1");
    await(store().trees.judge_late_trees(false, {kHistory}));
    EXPECT_EQ(rows(kFindings), findings);
}

TEST_F(Settling, TreesOfWhichBlocksLackAnOutcomeArePendingWithTheirReason) {
    const auto silent = [this](base::Height from, base::Height to) {
        return await(store().trees.silent_trees({from, to}));
    };
    auto blocks = unconnected_blocks();
    for (std::size_t i = 0; i + 1 < blocks.size(); ++i) commit_and_settle(std::move(blocks[i]));
    EXPECT_TRUE(silent(101, 110).empty()) << "it is included below";
    const auto found = silent(90, 100);
    ASSERT_EQ(found.size(), 1u);
    const auto place = [&](std::vector<storage::ToldOutcome> told, std::string untold = "") {
        return await(store().trees.place_silent_tree(found[0], std::move(told), std::move(untold)));
    };
    const auto there = value("SELECT min(receipt_id) FROM receipts");
    EXPECT_FALSE(place({})) << "a host tells nothing";
    EXPECT_FALSE(place({{there, "hash101"}})) << "nothing is lacking";
    EXPECT_FALSE(place({{"R", "hash101"}, {"S", "hash999"}})) << "blocks are to come";
    EXPECT_TRUE(place({{there, "hash101"}, {"R", "hash101"}}));
    EXPECT_TRUE(silent(90, 100).empty()) << "it waits already";
    const auto counted = [this] { return await(store().trees.pending_tree_count(base::kAllHeights)); };
    EXPECT_EQ(counted(), 1u);
    const auto due = await(store().trees.due_trees(10, base::kAllHeights));
    ASSERT_EQ(due.size(), 1u);
    EXPECT_TRUE(due[0].outcomes_missing);
    await(store().trees.postpone_tree(found[0], std::chrono::milliseconds(0), "no host has it"));
    EXPECT_EQ(value("SELECT reason FROM unfinished_trees('-infinity')"), "outcomes_missing: no host has it");
    EXPECT_EQ(counted(), 0u) << "it was asked for in vain";
    execute("DELETE FROM pending_trees");
    EXPECT_TRUE(place({}, "unknown to all hosts"));
    EXPECT_EQ(value("SELECT reason FROM unfinished_trees('-infinity')"),
              "outcomes_missing: unknown to all hosts");
    EXPECT_EQ(counted(), 0u);
    execute("DELETE FROM pending_trees");
    commit_and_settle(std::move(blocks.back()));
    EXPECT_FALSE(place({{"R", "hash101"}})) << "it is over";
    EXPECT_TRUE(silent(90, 110).empty());
}

TEST_F(Settling, TreesWhoseRowsAreRefusedAreJudgedEachOnItsOwn) {
    execute("ALTER TABLE findings ADD CONSTRAINT hostile CHECK (tx_hash <> 'T')");
    for (auto& block : unconnected_blocks()) commit_and_settle(std::move(block));
    EXPECT_EQ(value("SELECT count(*) FROM transaction_results"), "0");
    EXPECT_EQ(rows("SELECT tx_hash, history FROM late_trees"), "T|f\n");
    execute("ALTER TABLE findings DROP CONSTRAINT hostile");
    EXPECT_EQ(await(store().trees.judge_late_trees(false, {kHistory})).decided.verdicts.size(), 1u);
    EXPECT_EQ(rows(kResults), "T|callback_failed|gas_exceeded|100|103|104|4|2|140|9\n");
}

TEST_F(Settling, GivesTheSameInWhateverOrderTheyAreCommitted) {
    for (const auto& order : orders_of(5)) {
        auto blocks = unconnected_blocks();
        std::string said;
        for (const auto index : order) {
            ASSERT_EQ(value("SELECT count(*) FROM transaction_results"), "0") << said;
            commit_and_settle(std::move(blocks[index]));
            said += std::to_string(index);
        }
        ASSERT_EQ(rows(kResults), "T|callback_failed|gas_exceeded|100|103|104|4|2|140|9\n") << said;
        ASSERT_EQ(rows(kFindings),
                  "failed_receipt:B|T|promise|f|token.near|run|alice.near|contract_panic|102\n"
                  "failed_receipt:C|T|callback|f|bob.near|run|alice.near|gas_exceeded|103\n")
            << said;
        // Deleted rows of these would slow down each order after the first.
        execute(
            "TRUNCATE receipts, orphan_receipts; DELETE FROM blocks; DELETE FROM transactions; "
            "DELETE FROM events; DELETE FROM data_receipts; DELETE FROM transaction_results; "
            "DELETE FROM findings; UPDATE coverage SET heights = '{}'");
    }
}

TEST_F(Settling, AddsWhatIsMissingBesideWhatIsThere) {
    auto blocks = unconnected_blocks();
    // Another follower, which saw the whole tree, had told these; its other batches were lost.
    add_line(blocks[4], Table::findings,
             {"failed_receipt:C", "failed_receipt", "T", "T", "C", "callback", "f", "bob.near", "run",
              "alice.near", "gas_exceeded", "gas_exceeded", "103", time_text(103)});
    for (auto& block : blocks) commit_and_settle(std::move(block));
    EXPECT_EQ(value("SELECT count(*) FROM findings"), "2");
    EXPECT_EQ(value("SELECT count(*) FROM transaction_results"), "1");
    settle({104, 104});
    EXPECT_EQ(value("SELECT count(*) FROM findings"), "2");
    EXPECT_EQ(store().series.settled.Value(), 1);
}

TEST_F(Settling, CountsWhatItWrote) {
    for (auto& block : unconnected_blocks()) commit_and_settle(std::move(block));
    settle({104, 104});
    EXPECT_EQ(settled_.verdicts,
              (std::map<chain::Verdict, std::uint64_t>{{chain::Verdict::callback_failed, 1}}));
    EXPECT_EQ(settled_.findings,
              (std::map<std::pair<std::string, std::string>, std::uint64_t>{
                  {{"failed_receipt", "contract_panic"}, 1}, {{"failed_receipt", "gas_exceeded"}, 1}}));
    EXPECT_EQ(settled_.withheld, (std::map<std::string, std::uint64_t>{{"too_old", 2}}));
}

TEST_F(Settling, QueuesNewsForEachEndpointThatADaemonServedInTheLastFourDays) {
    execute(
        "INSERT INTO endpoints (name, active, served_at) VALUES ('ops', true, now() - interval '3 days'), "
        "('answered 410', false, now()), ('left', true, now() - interval '5 days'); " +
        kAllTakeTheDefaultRule);
    for (auto& block : unconnected_blocks()) commit_and_settle(std::move(block), chain::NewsSince());
    EXPECT_EQ(rows("SELECT alert_id, kind, tx_hash FROM alerts ORDER BY 1"),
              "failed_receipt:B|failed_receipt|T\nfailed_receipt:C|failed_receipt|T\n");
    EXPECT_EQ(rows("SELECT alert_id, endpoint, state FROM deliveries ORDER BY 1, 2"),
              "failed_receipt:B|answered 410|pending\nfailed_receipt:B|ops|pending\n"
              "failed_receipt:C|answered 410|pending\nfailed_receipt:C|ops|pending\n");
    EXPECT_EQ(
        rows(
            "SELECT kind, tx_hash, body ->> 'finding_id', body ->> 'handled' FROM stream_events ORDER BY id"),
        "finding|T|failed_receipt:B|false\nfinding|T|failed_receipt:C|false\n");
}

TEST_F(Settling, QueuesWhatIsOlderThanAWeekToBeKeptBackAsLate) {
    execute("INSERT INTO endpoints (name) VALUES ('ops'); " + kAllTakeTheDefaultRule);
    chain::NewsSince news;
    news.sent_since = kHistory;
    for (auto& block : unconnected_blocks()) commit_and_settle(std::move(block), news);
    EXPECT_EQ(rows("SELECT alert_id, state, withhold_late FROM deliveries ORDER BY 1"),
              "failed_receipt:B|pending|t\nfailed_receipt:C|pending|t\n");
}

TEST_F(Settling, WakesNobodyForHistory) {
    execute("INSERT INTO endpoints (name) VALUES ('ops'); " + kAllTakeTheDefaultRule);
    for (auto& block : unconnected_blocks()) commit_and_settle(std::move(block));
    EXPECT_EQ(value("SELECT count(*) FROM findings"), "2");
    EXPECT_EQ(value("SELECT (SELECT count(*) FROM alerts) + (SELECT count(*) FROM stream_events)"), "0");
}

TEST_F(Settling, ABlockThatIsRemovedAndStoredAnewLeavesTheSame) {
    for (auto& block : unconnected_blocks()) commit_and_settle(std::move(block));
    const auto results = rows(kResults);
    const auto findings = rows(kFindings);
    const auto receipts = rows("SELECT receipt_id, tree_id, block_height FROM receipts ORDER BY 1");
    for (std::size_t i = 0; i < 5; ++i) {
        const base::Height height = 100 + i;
        EXPECT_EQ(await(store().blocks.remove_block(height)), base::HeightSet({height, height}));
        EXPECT_EQ(value("SELECT count(*) FROM transaction_results"), "0") << height;
        EXPECT_EQ(value("SELECT count(*) FROM blocks"), "4") << height;
        const auto executed_there =
            "SELECT count(*) FROM receipts WHERE block_height = " + std::to_string(height);
        EXPECT_EQ(value(executed_there), "0");
        EXPECT_FALSE(await(store().blocks.load_coverage()).covered.contains(height));
        commit_and_settle(std::move(unconnected_blocks()[i]));
        EXPECT_EQ(rows(kResults), results) << height;
        EXPECT_EQ(rows(kFindings), findings) << height;
        EXPECT_EQ(rows("SELECT receipt_id, tree_id, block_height FROM receipts ORDER BY 1"), receipts);
    }
    EXPECT_TRUE(await(store().blocks.remove_block(99)).empty()) << "nothing is stored there";
}

TEST_F(Settling, WaitsForWhatIsMissing) {
    auto blocks = unconnected_blocks();
    for (int i : {0, 1, 2, 3}) commit_and_settle(std::move(blocks[static_cast<std::size_t>(i)]));
    EXPECT_EQ(value("SELECT count(*) FROM findings"), "0");
}

chain::Finding news(const std::string& receipt_id, base::Height height) {
    chain::Finding finding;
    finding.tx_hash = "T";
    finding.kind = chain::kind::kFailedReceipt;
    finding.receipt_id = receipt_id;
    finding.identify();
    finding.at = {height, kFirstTime + height % 1000 * 1'000'000'000};
    return finding;
}

TEST_F(Settling, ABatchTellsItsFindingsOnceInItsOwnTransaction) {
    execute(
        "INSERT INTO endpoints (name) VALUES ('ops'); INSERT INTO alerts (alert_id, kind) VALUES "
        "('failed_receipt:B', 'failed_receipt'); " +
        kAllTakeTheDefaultRule);
    auto batch = block_batch(104);
    for (const char* id : {"B", "C"})
        add_line(batch, Table::findings,
                 {std::string("failed_receipt:") + id, "failed_receipt", "T", "T", id, "callback", "f",
                  "bob.near", "run", "alice.near", "gas_exceeded", "no", "103", time_text(103)});
    batch.findings = {news("B", 103), news("C", 103)};
    commit(std::move(batch));
    EXPECT_EQ(rows("SELECT alert_id, endpoint FROM deliveries"), "failed_receipt:C|ops\n");
    EXPECT_EQ(value("SELECT count(*) FROM stream_events"), "1");
}

TEST_F(Settling, ATreeThatHasLostABlockIsJudgedByWhatIsStored) {
    execute("INSERT INTO endpoints (name) VALUES ('ops'); " + kAllTakeTheDefaultRule);
    for (auto& block : unconnected_blocks()) commit_and_settle(std::move(block));
    await(store().blocks.remove_block(102));
    commit(std::move(unconnected_blocks()[2]));
    await(store().orphans.adopt_orphans({102, 102}));
    auto judged_before = block_batch(105);
    add_line(judged_before, Table::findings,
             {"failed_receipt:A", "failed_receipt", "T", "T", "A", "initial", "f", "bob.near", "run",
              "alice.near", "contract_panic", "it did not", "101", time_text(101)});
    judged_before.findings = {news("A", 101)};
    EXPECT_EQ(commit(std::move(judged_before)), CommitOutcome::committed);
    EXPECT_EQ(rows(kFindings) + rows("SELECT alert_id FROM alerts"), "");
    await(store().trees.judge_late_trees(false, {kHistory}));
    EXPECT_EQ(rows("SELECT finding_id FROM findings ORDER BY 1"), "failed_receipt:B\nfailed_receipt:C\n");
    EXPECT_EQ(rows(kResults), "T|callback_failed|gas_exceeded|100|103|104|4|2|140|9\n");
}

// A tree that was fetched because it was watched: all of it is stored, and not all of its blocks.
class FoundEarly : public Settling {
protected:
    void SetUp() override {
        Settling::SetUp();
        if (IsSkipped()) return;
        for (auto& block : unconnected_blocks()) commit_and_settle(std::move(block));
        execute(
            "DELETE FROM blocks WHERE block_height = 102; UPDATE coverage SET heights = heights - "
            "'{[102,103)}'");
        stored_ = stored();
    }

    static RowBatch block_102(const std::string& tree_id = "T", const std::string& tx_hash = "T",
                              const std::string& parent = "A", const std::string& role = "promise") {
        auto block = block_batch(102);
        add_receipt(block, 102,
                    {"B", tree_id, tx_hash, parent, role, "{}", "bob.near", "token.near", "failure",
                     R"(["CreateAccount"])", "", "{d}", "contract_panic", "", parent.empty()});
        return block;
    }
    std::string stored() {
        return rows(kResults) + rows(kFindings) +
               rows(
                   "SELECT receipt_id, tree_id, tx_hash, parent_receipt_id, role, block_height FROM receipts "
                   "ORDER BY 1");
    }

    std::string stored_;
};

TEST_F(FoundEarly, TheTreeIsJudgedAsBeforeWhenItsBlockComes) {
    EXPECT_EQ(commit(block_102()), CommitOutcome::committed);
    EXPECT_EQ(stored(), stored_);
}

TEST_F(FoundEarly, WhatItsBlockDoesNotBringStays) {
    execute(
        "UPDATE receipts SET block_height = 102, block_time = (SELECT block_time FROM receipts WHERE "
        "receipt_id = 'B') WHERE receipt_id = 'A'");
    stored_ = stored();
    EXPECT_EQ(commit(block_102()), CommitOutcome::committed);
    EXPECT_EQ(stored(), stored_);
}

TEST_F(FoundEarly, WhatIsKnownOfAReceiptIsNotForgotten) {
    EXPECT_EQ(commit(block_102("T", "T", "")), CommitOutcome::committed);
    EXPECT_EQ(stored(), stored_);
}

TEST_F(FoundEarly, AReceiptThatComesUnderItsOwnNameIsThereOnce) {
    commit_and_settle(block_102("B", "", ""));
    EXPECT_EQ(stored(), stored_);
}

TEST_F(FoundEarly, WhatWasJudgedStaysWhileAReceiptHasItsOwnName) {
    execute(
        "UPDATE receipts SET block_height = 102, block_time = (SELECT block_time FROM receipts WHERE "
        "receipt_id = 'B') WHERE receipt_id = 'C'");
    const auto judged = [this] { return rows(kResults) + rows(kFindings); };
    const auto judged_before = judged();
    auto block = block_102();
    add_receipt(block, 102,
                {"C", "C", "", "", "callback", "{F}", "bob.near", "bob.near", "failure", "[]", "{d}", "",
                 "gas_exceeded", "", true});
    EXPECT_EQ(commit(std::move(block)), CommitOutcome::committed);
    EXPECT_EQ(judged(), judged_before);
}

TEST_F(FoundEarly, WhatTheRowsOfItsBlockDecideIsReported) {
    execute("INSERT INTO endpoints (name) VALUES ('ops'); " + kAllTakeTheDefaultRule);
    execute("DELETE FROM findings WHERE finding_id = 'failed_receipt:C'");
    EXPECT_EQ(commit(block_102()), CommitOutcome::committed);
    EXPECT_EQ(stored(), stored_);
    EXPECT_EQ(rows("SELECT alert_id, endpoint FROM deliveries"), "failed_receipt:C|ops\n");
}

TEST_F(FoundEarly, AFailedTransactionIsThereOnce) {
    const auto block_105 = [] {
        auto block = block_batch(105);
        add_transaction(block, {"U"});
        add_line(block, Table::findings,
                 {"failed_transaction:U", "failed_transaction", "U", "U", kNull, kNull, "f", kNull, kNull,
                  "alice.near", "access_key", "no", "105", time_text(105)});
        return block;
    };
    commit(block_105());
    execute(
        "DELETE FROM blocks WHERE block_height = 105; UPDATE coverage SET heights = heights - '{[105,106)}'");
    stored_ = stored();
    EXPECT_EQ(commit(block_105()), CommitOutcome::committed);
    EXPECT_EQ(stored(), stored_);
    EXPECT_EQ(value("SELECT count(*) FROM transactions WHERE tx_hash = 'U'"), "1");
}

TEST_F(FoundEarly, TheBlockIsStoredWithWhatIsJudgedOrNotAtAll) {
    const auto whole = stored_;
    execute("DELETE FROM transaction_results");
    stored_ = stored();
    execute(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'no result today' USING ERRCODE = '23514'; END $$; "
        "CREATE TRIGGER refuse BEFORE INSERT ON transaction_results FOR EACH ROW EXECUTE FUNCTION refuse()");
    EXPECT_THROW(commit(block_102()), storage::StorageRefused);
    EXPECT_EQ(stored(), stored_);
    EXPECT_EQ(value("SELECT heights @> 102::bigint FROM coverage"), "f");
    execute("DROP TRIGGER refuse ON transaction_results");
    EXPECT_EQ(commit(block_102()), CommitOutcome::committed);
    EXPECT_EQ(stored(), whole);
}

}  // namespace
}  // namespace receiptd::test
