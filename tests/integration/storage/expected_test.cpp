// Failures that somebody expects are stored, and nobody is told of them.
#include "store_test_support.hpp"

namespace receiptd::test {
namespace {

constexpr base::Height kFailed = 103;

struct Failed {
    std::string id;
    std::string contract = "dex.near";
    std::string method = "swap";
    std::string error_class = "contract_panic";
    std::string_view kind = chain::kind::kFailedReceipt;
};

class Expected : public StoreTest {
protected:
    void SetUp() override {
        StoreTest::SetUp();
        if (!IsSkipped()) execute("INSERT INTO endpoints (name) VALUES ('ops'); " + kAllTakeTheDefaultRule);
    }

    void declare(std::vector<storage::ExpectedFailure> expected) { declare(store(), std::move(expected)); }
    void declare(OpenStore& daemon, std::vector<storage::ExpectedFailure> expected) {
        storage::DaemonSettings settings;
        settings.place = "here:1";
        settings.source = "rpc";
        settings.expected = std::move(expected);
        await(daemon.database.join(settings));
    }

    void find(const std::vector<Failed>& all) {
        auto batch = block_batch(kFailed);
        for (const auto& failed : all) {
            chain::Finding finding;
            finding.kind = failed.kind;
            finding.receipt_id = failed.id;
            finding.identify();
            finding.at.timestamp_nanosec = kFirstTime + kFailed % 1000 * 1'000'000'000;
            add_line(batch, Table::findings,
                     {finding.finding_id, finding.kind, "T", "T", failed.id, "promise", "f", failed.contract,
                      failed.method, "alice.near", failed.error_class, "no", "103", time_text(kFailed)});
            batch.findings.push_back(std::move(finding));
        }
        commit(std::move(batch));
    }
    std::string told() { return rows("SELECT split_part(alert_id, ':', 2) FROM alerts ORDER BY 1"); }
    std::string marked() { return rows("SELECT receipt_id FROM findings WHERE expected ORDER BY 1"); }
};

TEST_F(Expected, FailuresAreMarkedAndToldToNobody) {
    declare({{"slippage", "dex.*", "sw?p", "contract_panic"}});
    find({{"A"}, {"B", "other.near"}, {"C", "dex.near", "swaap"}, {"D", "dex.near", "swap", "gas_exceeded"}});
    EXPECT_EQ(marked(), "A\n");
    EXPECT_EQ(told(), "B\nC\nD\n");
    EXPECT_EQ(value("SELECT count(*) FROM findings"), "4");
    EXPECT_EQ(value("SELECT count(*) FROM stream_events"), "3");
}

TEST_F(Expected, WhatIsNotGivenMatchesAnything) {
    declare({{"panics", "", "", "contract_panic"}});
    find({{"A"}, {"B", "other.near", "mint"}, {"C", "dex.near", "swap", "gas_exceeded"}});
    EXPECT_EQ(marked(), "A\nB\n");
}

TEST_F(Expected, TextOfAGlobIsNoPattern) {
    declare({{"exact", "dex_near", "%", ""}});
    find({{"A", "dexxnear"}, {"B", "dex_near", "swap"}, {"C", "dex_near", "%"}});
    EXPECT_EQ(marked(), "C\n");
}

TEST_F(Expected, MoneyThatIsGoneIsNeverExpected) {
    declare({{"everything", "*", "", ""}});
    find({{"A"}, {"B", "dex.near", "Transfer", "account_missing", chain::kind::kBurntTokens}});
    EXPECT_EQ(told(), "B\n");
}

TEST_F(Expected, ADaemonThatStartsAnewBringsItsListAnew) {
    declare({{"everything", "*", "", ""}});
    declare({});
    find({{"A"}});
    EXPECT_EQ(marked(), "");
    EXPECT_EQ(told(), "A\n");
}

TEST_F(Expected, DaemonsThatLiveAddTheirLists) {
    OpenStore second(database().url());
    declare({{"swaps", "dex.near", "", ""}, {"panics", "one.near", "", ""}});
    declare(second, {{"mints", "", "mint", ""}, {"panics", "two.near", "", ""}});
    find({{"A"}, {"B", "other.near", "mint"}, {"C", "one.near"}, {"D", "two.near"}});
    EXPECT_EQ(marked(), "A\nB\nD\n") << "of one name the later";
}

TEST_F(Expected, TheListOfADaemonThatHasEndedGoesWithTheNextThatStarts) {
    OpenStore second(database().url());
    declare(second, {{"everything", "*", "", ""}});
    await(second.database.leave());
    declare({{"mints", "", "mint", ""}});
    find({{"A"}, {"B", "other.near", "mint"}});
    EXPECT_EQ(marked(), "B\n");
}

TEST_F(Expected, OfTwoDaemonsWithTheSameListOneMayEnd) {
    OpenStore second(database().url());
    OpenStore third(database().url());
    declare({{"everything", "*", "", ""}});
    declare(second, {{"everything", "*", "", ""}});
    await(second.database.leave());
    declare(third, {});
    await(store().database.keep_alive());
    find({{"A"}});
    EXPECT_EQ(marked(), "A\n");
}

}  // namespace
}  // namespace receiptd::test
