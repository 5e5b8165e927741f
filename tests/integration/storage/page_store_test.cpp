// What the page asks the database.
#include "alert_test_support.hpp"
#include "storage/pg_page_store.hpp"

#include <gmock/gmock.h>

namespace receiptd::test {
namespace {

using testing::HasSubstr;

class PageStore : public StoreTest {
protected:
    void SetUp() override {
        StoreTest::SetUp();
        if (IsSkipped()) return;
        auto batch = block_batch(104);
        for (int i = 0; i < 5; ++i) {
            const auto id = "r" + std::to_string(i);
            add_line(batch, Table::findings,
                     {"failed_receipt:" + id, "failed_receipt", "T", "T", id, "callback", i % 2 ? "t" : "f",
                      i < 4 ? "bob.near" : "carol.near", "run", "alice.near", "gas_exceeded", "no", "103",
                      time_text(103)});
        }
        add_transaction(batch, {"T", "A"});
        add_receipt(batch, 104, {"A", "T", "T", "", "initial"});
        commit(std::move(batch));
        page_ = std::make_unique<storage::PgPageStore>(store().database);
    }
    void TearDown() override {
        page_.reset();
        StoreTest::TearDown();
    }
    std::vector<storage::FailureGroup> groups(const storage::FailureFilter& filter) {
        return await(page_->failure_groups(filter, 10));
    }

    std::unique_ptr<storage::PgPageStore> page_;
};

TEST_F(PageStore, FindingsOfOneCauseAreOneGroup) {
    const auto all = groups({});
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].contract_id, "bob.near");
    EXPECT_EQ(all[0].findings, 4u);
    EXPECT_EQ(all[0].error_class, "gas_exceeded");
    EXPECT_EQ(all[0].error_text, "no");
    EXPECT_EQ(all[0].tx_hash, "T");
    EXPECT_THAT(all[0].last_at, HasSubstr("2022-10-19T00:01:43"));
    storage::FailureFilter filter;
    filter.contract_id = "carol.near";
    EXPECT_EQ(groups(filter).size(), 1u);
    filter = {};
    filter.handled = true;
    EXPECT_EQ(groups(filter)[0].findings, 2u);
    filter = {};
    filter.kind = "dropped";
    EXPECT_EQ(groups(filter).size(), 0u);
}

TEST_F(PageStore, ATrendHasEveryStepUpToTheNewestBlock) {
    const auto trend = await(page_->failure_trend({}, 4));
    ASSERT_EQ(trend.size(), 4u);
    EXPECT_EQ(trend[0].findings, 0u);
    EXPECT_EQ(trend[3].findings, 5u);
    EXPECT_LT(trend[0].from, trend[3].from);
}

TEST_F(PageStore, AReceiptIsToldInFullOrWithoutWhatIsTooLong) {
    const auto details = await(page_->receipt_details("T", {"A", "unknown"}, 8'000));
    ASSERT_EQ(details.size(), 1u);
    EXPECT_EQ(details[0].receipt_id, "A");
    EXPECT_THAT(details[0].row_json, HasSubstr("\"role\" : \"initial\""));
    EXPECT_EQ(details[0].events_json, "[]");
    EXPECT_EQ(await(page_->receipt_details("T", {"A"}, 0)).size(), 1u);
    EXPECT_EQ(await(page_->receipt_details("another", {"A"}, 8'000)).size(), 0u);
}

TEST_F(PageStore, CountsAndHealthAreThoseOfTheNewestHour) {
    const auto counts = await(page_->recent_counts());
    EXPECT_EQ(counts.open_watches, 0u);
    const auto methods = await(page_->contract_health("", 1, 10));
    ASSERT_FALSE(methods.empty());
    EXPECT_EQ(methods[0].failed_callbacks + methods[1].failed_callbacks, 5u);
    EXPECT_EQ(await(page_->contract_health("nobody.near", 1, 10)).size(), 0u);
}

TEST_F(PageStore, AFailureIsHiddenOnlyIfNearCallsItASuccess) {
    execute(
        "INSERT INTO transaction_results (tx_hash, tree_id, block_height, block_time, signer_id, "
        "receiver_id, "
        "verdict, near_status, included_height, completed_height, completed_time, settled_height, receipts, "
        "failed_receipts, gas_burnt, tokens_burnt) "
        "SELECT 'X' || number, 'X' || number, 104, b.block_time, 'alice.near', 'bob.near', verdict, "
        "near_status, "
        "104, 104, b.block_time, 104, 1, 1, 0, 0 FROM (SELECT max(block_time) AS block_time FROM blocks) b, "
        "unnest(ARRAY['failed', 'callback_failed', 'callback_failed', 'receipt_failed', 'succeeded'], "
        "ARRAY['failure', 'failure', 'success', 'success', 'success']) WITH ORDINALITY "
        "AS r(verdict, near_status, number)");
    const auto counts = await(page_->recent_counts());
    EXPECT_EQ(counts.hidden_failures, 2u);
    EXPECT_EQ(counts.told_failures, 2u);
    EXPECT_EQ(counts.verdicts.at("callback_failed"), 2u);
}

TEST_F(PageStore, AGroupOfAlertsIsShownWithItsCounts) {
    execute(
        "INSERT INTO alert_groups (endpoint, key, members, told, digests, first_at, last_at) "
        "VALUES ('ops', '{\"contract_id\":\"bob.near\"}', 5000, 21, 2, '2026-01-01', '2026-01-01 "
        "00:01')");
    const auto id = std::stoll(value("SELECT group_id FROM alert_groups"));
    const auto group = await(page_->alert_group(id));
    ASSERT_TRUE(group);
    EXPECT_EQ(group->endpoint, "ops");
    EXPECT_EQ(group->key_json, R"({"contract_id":"bob.near"})");
    EXPECT_EQ(group->members, 5'000U);
    EXPECT_EQ(group->told, 21U);
    EXPECT_EQ(group->digests, 2U);
    EXPECT_THAT(group->last_at, HasSubstr("2026-01-01T00:01:00"));
    EXPECT_EQ(group->ended_at, "");
    EXPECT_FALSE(await(page_->alert_group(id + 1)));
}

}  // namespace
}  // namespace receiptd::test
