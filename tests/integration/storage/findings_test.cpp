// Findings as lists and alerts read them.
#include "alert_test_support.hpp"

#include <gmock/gmock.h>

namespace receiptd::test {
namespace {

using testing::ElementsAre;

storage::FindingFilter page_of(unsigned limit, const std::string& cursor = "") {
    storage::FindingFilter filter;
    filter.limit = limit;
    filter.cursor = cursor;
    return filter;
}

class Findings : public StoreTest {
protected:
    void SetUp() override {
        StoreTest::SetUp();
        if (IsSkipped()) return;
        process_ = std::make_unique<Process>(database().daemon_options());
        auto batch = block_batch(104);
        for (int i = 0; i < 5; ++i) {
            const auto id = "r" + std::to_string(i);
            const auto tree = i < 3 ? "T" : "U";
            add_line(batch, Table::findings,
                     {"failed_receipt:" + id, "failed_receipt", tree, tree, id, "callback", i % 2 ? "t" : "f",
                      i < 4 ? "bob.near" : "carol.near", "run", "alice.near", "gas_exceeded", "no", "103",
                      time_text(103)});
        }
        add_transaction(batch, {"T", "A"});
        add_receipt(batch, 104, {"A", "T", "T", "", "initial"});
        commit(std::move(batch));
    }
    void TearDown() override {
        process_.reset();
        StoreTest::TearDown();
    }
    std::size_t count(storage::FindingFilter filter) {
        return await(findings().list_findings(std::move(filter))).size();
    }
    Process& process() { return *process_; }
    storage::PgFindingStore& findings() { return process_->findings; }

private:
    std::unique_ptr<Process> process_;
};

TEST_F(Findings, AreListedNewestFirstPageByPage) {
    std::vector<std::string> ids;
    std::string cursor;
    for (auto page = await(findings().list_findings(page_of(2))); !page.empty();
         page = await(findings().list_findings(page_of(2, cursor)))) {
        for (const auto& finding : page) ids.push_back(finding.receipt_id);
        cursor = storage::cursor_after(page.back());
    }
    EXPECT_THAT(ids, ElementsAre("r4", "r3", "r2", "r1", "r0"));
    EXPECT_THROW(await(findings().list_findings(page_of(2, "'; DROP TABLE findings"))),
                 storage::StorageError);
}

TEST_F(Findings, AreFoundByEachFilter) {
    execute("UPDATE findings SET user_id = 'carol.near', effect = 'refunded' WHERE receipt_id = 'r0'");
    execute(
        "UPDATE findings SET signer_id = 'relayer.near', method_name = 'swap', role = 'initial', "
        "error_class = 'contract_panic', user_id = 'alice.near' WHERE receipt_id = 'r1'");
    const auto found = [&](auto&& choose) {
        auto filter = page_of(10);
        choose(filter);
        std::vector<std::string> ids;
        for (const auto& finding : await(findings().list_findings(filter))) ids.push_back(finding.receipt_id);
        return ids;
    };
    EXPECT_THAT(found([](auto& f) { f.user_id = "carol.near"; }), ElementsAre("r0"));
    EXPECT_THAT(found([](auto& f) { f.user_id = "alice.near"; }), ElementsAre("r4", "r3", "r2", "r1"));
    EXPECT_THAT(found([](auto& f) { f.signer_id = "alice.near"; }), ElementsAre("r4", "r3", "r2", "r0"));
    EXPECT_THAT(found([](auto& f) { f.method_name = "swap"; }), ElementsAre("r1"));
    EXPECT_THAT(found([](auto& f) { f.role = "initial"; }), ElementsAre("r1"));
    EXPECT_THAT(found([](auto& f) { f.error_class = "contract_panic"; }), ElementsAre("r1"));
    EXPECT_THAT(found([](auto& f) { f.effect = "refunded"; }), ElementsAre("r0"));
    EXPECT_THAT(found([](auto& f) { f.until = "2022-10-19T00:01:43Z"; }), ElementsAre());
    EXPECT_THAT(found([](auto& f) {
                    f.until = "2022-10-19T00:01:44Z";
                    f.limit = 1;
                }),
                ElementsAre("r4"));
}

TEST_F(Findings, BehindATimeThatIsFarAwayAreLookedForWhereBlocksAre) {
    EXPECT_EQ(await(findings().list_findings(page_of(10, "9999-12-31T23:59:59.999999Z,x"))).size(), 5u);
    auto filter = page_of(10);
    filter.until = "9999-12-31T23:59:59Z";
    EXPECT_EQ(count(filter), 5u);
}

TEST_F(Findings, OfAUserFollowEachOther) {
    execute(
        "UPDATE findings SET user_id = 'alice.near', signer_id = 'relayer.near' WHERE receipt_id IN ('r1', "
        "'r3')");
    std::vector<std::string> ids;
    auto filter = page_of(1);
    filter.user_id = "alice.near";
    for (auto page = await(findings().list_findings(filter)); !page.empty();
         page = await(findings().list_findings(filter))) {
        ids.push_back(page[0].receipt_id);
        filter.cursor = storage::cursor_after(page[0]);
    }
    EXPECT_THAT(ids, ElementsAre("r4", "r3", "r2", "r1", "r0"));
}

TEST_F(Findings, OfYearsAgoFollowOnTheSamePages) {
    for (const std::string days : {"20", "300", "700", "2000"}) {
        const auto then = "block_time - interval '" + days + " days'";
        execute("SELECT make_partitions(at, at) FROM (SELECT (" + then +
                ")::date AS at FROM findings WHERE receipt_id = 'r0') f");
        execute(
            "INSERT INTO findings SELECT (jsonb_populate_record(f, jsonb_build_object("
            "'finding_id', 'of ' || " +
            days + ", 'receipt_id', 'of ' || " + days + ", 'block_time', " + then +
            "))).* FROM findings f WHERE receipt_id = 'r0'");
    }
    const auto page = await(findings().list_findings(page_of(100)));
    std::vector<std::string> ids;
    for (const auto& finding : page) ids.push_back(finding.receipt_id);
    EXPECT_THAT(ids, ElementsAre("r4", "r3", "r2", "r1", "r0", "of 20", "of 300", "of 700", "of 2000"));
    const auto last = await(findings().list_findings(page_of(1, storage::cursor_after(page[7]))));
    ASSERT_EQ(last.size(), 1u);
    EXPECT_EQ(last[0].receipt_id, "of 2000");
    storage::FindingFilter of_last_year = page_of(100);
    of_last_year.since = "2021-10-19T00:00:00Z";
    EXPECT_EQ(count(of_last_year), 7u);
}

TEST_F(Findings, AreChosenByWhatTheyAre) {
    storage::FindingFilter filter;
    filter.tx_hash = "T";
    EXPECT_EQ(count(filter), 3u);
    filter.handled = true;
    EXPECT_EQ(count(filter), 1u);
    filter = {};
    filter.contract_id = "carol.near";
    EXPECT_EQ(count(filter), 1u);
    filter = {};
    filter.kind = "dropped";
    EXPECT_EQ(count(filter), 0u);
    filter = {};
    filter.since = "2022-10-19T00:01:43Z";
    EXPECT_EQ(count(filter), 5u);
    filter.since = "2022-10-19T00:01:43.000001Z";
    EXPECT_EQ(count(filter), 0u);
}

storage::DueDelivery due(const std::string& alert_id, const std::string& tx_hash) {
    storage::DueDelivery delivery;
    delivery.alert_id = delivery.finding_id = alert_id;
    delivery.tx_hash = tx_hash;
    delivery.created_at = base::WallTime(std::chrono::nanoseconds(kFirstTime));
    return delivery;
}

TEST_F(Findings, AndTheirTreesAreToldToAlerts) {
    auto causes = await(process().deliveries.causes(
        {due("failed_receipt:r1", "T"), due("failed_receipt:r2", "T"), due("failed_receipt:r2", "T"),
         due("failed_receipt:r3", "U"), due("failed_receipt:none", "none"), due("stuck:none", "")}));
    EXPECT_EQ(causes.size(), 5u);
    const auto found = causes["failed_receipt:r1"].finding;
    ASSERT_TRUE(found);
    EXPECT_EQ(found->kind, "failed_receipt");
    EXPECT_EQ(found->tx_hash, "T");
    EXPECT_EQ(found->role, chain::Role::callback);
    EXPECT_EQ(found->handled, true);
    EXPECT_EQ(found->contract_id, "bob.near");
    EXPECT_EQ(found->at, (chain::ExecutedAt{103, 1'666'137'703'000'000'000}));
    const auto& tree = causes["failed_receipt:r2"].tree;
    ASSERT_TRUE(tree.transaction);
    EXPECT_EQ(tree.transaction->signer_id, "alice.near");
    EXPECT_EQ(tree.receipts.size(), 1u);
    EXPECT_EQ(tree.outcomes.size(), 2u);
    EXPECT_TRUE(causes["failed_receipt:r3"].finding);
    EXPECT_FALSE(causes["failed_receipt:r3"].tree.any());
    EXPECT_FALSE(causes["failed_receipt:none"].finding);
}

TEST_F(Findings, OfCorrectionsAreFoundThoughTheyAreMuchOlderThanTheirAlerts) {
    auto told = due("failed_receipt:r1", "T");
    told.created_at += std::chrono::hours(24 * 60);
    EXPECT_TRUE(await(process().deliveries.causes({told}))["failed_receipt:r1"].finding);
}

}  // namespace
}  // namespace receiptd::test
