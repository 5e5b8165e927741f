// GET /account/{name}
#include "unit/page/fakes.hpp"

namespace receiptd::page {
namespace {

using namespace api::testing;
using ::testing::HasSubstr;
using ::testing::Not;

class AccountPage : public testing::PageTest {
protected:
    void SetUp() override {
        PageTest::SetUp();
        history_.known.followed = true;
        history_.known.ranges = {{20, 30}, {1, 9}};
        history_.known.since = "2026-01-01T00:00:00.000000Z";
    }
    void add_transaction(const std::string& verdict, const std::string& method = "run") {
        storage::ListedTransaction listed;
        listed.tx_hash = kHash;
        listed.block_time = "2026-01-01T00:00:00.000000Z";
        listed.signer_id = "relayer.near";
        listed.user_id = "alice.near";
        listed.receiver_id = "alice.near";
        listed.method_name = method;
        listed.verdict = verdict;
        history_.transactions.push_back(listed);
    }
};

TEST_F(AccountPage, ShowsWhatItDidAndWhatIsWhole) {
    add_transaction("callback_failed");
    chain::Finding finding;
    finding.finding_id = "failed_receipt:r";
    finding.kind = "failed_receipt";
    finding.tx_hash = kHash;
    findings_.findings.push_back(finding);
    storage::Watch watch;
    watch.tx_hash = kOther;
    watch.sender_id = "alice.near";
    watches_.rows.emplace(kOther, watch);
    const auto page = html("/account/alice.near");
    EXPECT_THAT(page, HasSubstr("Everything from block 20 to block 30 is stored."));
    EXPECT_THAT(page, HasSubstr("Nothing is claimed outside these heights."));
    EXPECT_THAT(page, HasSubstr("href=\"/tx/" + kHash + "\""));
    EXPECT_THAT(page, HasSubstr("href=\"/tx/" + kOther + "\""));
    EXPECT_THAT(page, HasSubstr("for <bdi>alice.near</bdi>"));
    for (const std::string csv : {"/v1/transactions?account_id=alice.near&amp;role=user&amp;format=csv",
                                  "/v1/transactions?account_id=alice.near&amp;role=receiver&amp;format=csv",
                                  "/v1/findings?user_id=alice.near&amp;format=csv",
                                  "/v1/watches?sender_id=alice.near&amp;format=csv"})
        EXPECT_THAT(page, HasSubstr("href=\"" + csv + "\""));
    EXPECT_EQ(findings_.asked.user_id, "alice.near");
    EXPECT_TRUE(watches_.asked.open_only);
}

TEST_F(AccountPage, LeadsToOlderTransactions) {
    for (int i = 0; i < 26; ++i) add_transaction("succeeded");
    const auto page = html("/account/alice.near");
    EXPECT_THAT(
        page,
        HasSubstr(
            "href=\"/account/alice.near?role=receiver&amp;cursor=2026-01-01T00%3A00%3A00.000000Z%2C25\""));
    const auto older = html("/account/alice.near?role=receiver&cursor=2026-01-01T00%3A00%3A00.000000Z%2C25");
    EXPECT_EQ(history_.asked.role, storage::AccountRole::receiver);
    EXPECT_THAT(older, HasSubstr("Received"));
    EXPECT_THAT(older, Not(HasSubstr("Failures")));
}

TEST_F(AccountPage, SaysWhereNothingIsKnown) {
    history_.known = {};
    EXPECT_THAT(html("/account/bob.near"), HasSubstr("does not follow this account"));
    history_.known.followed = true;
    history_.known.pruned_before = "2026-01-01T00:00:00.000000Z";
    EXPECT_THAT(html("/account/bob.near"), HasSubstr("At no stored height"));
}

TEST_F(AccountPage, RefusesWhatIsNoAccountAndNoFilter) {
    html("/account/NO", 404);
    html("/account/%3Cscript%3E", 404);
    EXPECT_THAT(html("/account/alice.near?role=touched"), HasSubstr("Nothing is listed"));
    EXPECT_THAT(html("/account/alice.near?cursor=2026-13-01T00:00:00.000000Z,x"),
                HasSubstr("Nothing is listed"));
    add_transaction("failed", "<script>alert(1)</script>");
    EXPECT_THAT(html("/account/alice.near"), Not(HasSubstr("<script>alert")));
}

TEST_F(AccountPage, SaysThatTheDatabaseIsAway) {
    database_.away = true;
    html("/account/alice.near", 503);
}

}  // namespace
}  // namespace receiptd::page
