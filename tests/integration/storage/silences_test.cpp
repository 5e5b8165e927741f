// A silence counts for every daemon from its commit on, until it ends.
#include "alert_test_support.hpp"
#include "storage/pg_silence_store.hpp"

#include <gmock/gmock.h>

namespace receiptd::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Silences : public AlertsTest {
protected:
    // Queues an alert about a failure in that contract.
    void fail(const std::string& id, const std::string& contract,
              const std::string& kind = "failed_receipt") {
        queue(id);
        execute("UPDATE alerts SET contract_id = '" + contract + "', kind = '" + kind +
                "' WHERE alert_id = '" + id + "'");
    }
    storage::NewSilence silence(const std::string& matcher, std::chrono::milliseconds lasts = 1h) {
        storage::NewSilence made;
        made.matcher = *storm::parse_matcher(matcher);
        made.lasts = lasts;
        made.reason = "upgrade";
        made.author = "eve";
        return made;
    }
    base::Result<storage::SilenceRow, std::string> add(storage::NewSilence made) {
        return await(storage::PgSilenceStore(process().database).add_silence(std::move(made)));
    }
    std::vector<storage::SilenceRow> all() {
        return await(storage::PgSilenceStore(process().database).silences(true));
    }
    std::string states() { return rows("SELECT alert_id, state, silence_id FROM deliveries ORDER BY 1"); }
};

const std::string kDex = R"({"contract": "*.dex.near"})";

TEST_F(Silences, CountForWhatIsClaimedWhicheverDaemonMadeThem) {
    fail("before", "v1.dex.near");
    EXPECT_THAT(other().claimed_ids(5), ElementsAre("before"));
    const auto made = add(silence(kDex));
    ASSERT_TRUE(made);
    EXPECT_EQ(made->state, "active");
    fail("during", "v1.dex.near");
    fail("elsewhere", "dex.near");
    const auto claimed = await(other().deliveries.claim_deliveries({{"ops", 5}}, 30s));
    ASSERT_EQ(claimed.due.size(), 1u);
    EXPECT_EQ(claimed.due[0].alert_id, "elsewhere");
    ASSERT_EQ(claimed.not_sent.size(), 1u);
    EXPECT_EQ(claimed.not_sent[0].state, "silenced");
    EXPECT_EQ(claimed.not_sent[0].count, 1u);
    EXPECT_EQ(states(), "before|pending|-\nduring|silenced|1\nelsewhere|pending|-\n");
}

TEST_F(Silences, EndWhenSomebodyEndsThemOrTheirTimeIsOver) {
    ASSERT_TRUE(add(silence(kDex)));
    ASSERT_TRUE(add(silence(R"({"kind": "stuck"})", 1s)));
    execute(
        "UPDATE silences SET starts_at = starts_at - interval '1 hour', "
        "ends_at = ends_at - interval '1 hour' WHERE silence_id = 2");
    storage::PgSilenceStore store(process().database);
    EXPECT_EQ(await(store.end_silence(1, "adam"))->ended_by, "adam");
    EXPECT_EQ(await(store.end_silence(2, "adam"))->ended_by, "") << "its time had ended it";
    EXPECT_FALSE(await(store.end_silence(3, "adam")));
    fail("a", "v1.dex.near");
    fail("b", "b.near", "stuck");
    EXPECT_EQ(process().claimed_ids(5).size(), 2u);
    EXPECT_THAT(await(store.silences(false)), IsEmpty());
    EXPECT_EQ(all().size(), 2u);
}

TEST_F(Silences, ThatNameWhatDoesNotExistAreRefused) {
    const auto refused = [&](const char* matcher) { return add(silence(matcher)).error(); };
    EXPECT_EQ(refused(R"({"kind": "failed_reciept"})"),
              "there is no kind of alert \"failed_reciept\"; did you mean \"failed_receipt\"?");
    EXPECT_EQ(refused(R"({"error_class": "contract_panik"})"),
              "there is no error class \"contract_panik\"; did you mean \"contract_panic\"?");
    EXPECT_THAT(refused(R"({"rule": "*", "endpoint": "op"})"), HasSubstr("there is no endpoint \"op\""));
    EXPECT_THAT(refused(R"({"rule": "no-such-rule"})"), HasSubstr("there is no rule"));
    EXPECT_THAT(refused(R"({"account": "Alice.near"})"), HasSubstr("no upper-case letters"));
    EXPECT_TRUE(add(silence(R"({"kind": "failed_*", "rule": "none-yet-*"})")))
        << "a wildcard may match later";
    EXPECT_TRUE(add(silence(R"({"error_class": "shard_on_fire"})"))) << "a newer node may have it";
    EXPECT_EQ(all().size(), 2u) << "what is refused leaves nothing";
}

TEST_F(Silences, ThatAreYetToBeginKeepNothingBack) {
    auto tomorrow = silence(kDex);
    tomorrow.starts_at = "2199-01-01T00:00:00Z";
    EXPECT_EQ(add(tomorrow)->state, "coming");
    fail("a", "v1.dex.near");
    EXPECT_THAT(process().claimed_ids(5), ElementsAre("a"));
}

TEST_F(Silences, LeaveTransactionsAloneUnlessTheyNameTheKind) {
    ASSERT_TRUE(add(silence(R"({"contract": "*"})")));
    for (const char* kind : {"completed", "final", "corrected", "verdict", "included"})
        fail(kind, "shop.near", kind);
    fail("expired", "shop.near", "expired");
    EXPECT_EQ(process().claimed_ids(9).size(), 5u) << "a bad end is a finding";
    ASSERT_TRUE(add(silence(R"({"kind": "completed"})")));
    fail("completed:2", "shop.near", "completed");
    EXPECT_THAT(process().claimed_ids(9), IsEmpty());
}

TEST_F(Silences, WhatPeopleSendAnewIsSent) {
    ASSERT_TRUE(add(silence(kDex)));
    fail("a", "v1.dex.near");
    EXPECT_THAT(process().claimed_ids(5), IsEmpty());
    EXPECT_EQ(resend(only("silenced")), 1u);
    EXPECT_THAT(process().claimed_ids(5), ElementsAre("a"));
}

TEST_F(Silences, WhatWasTriedBeforeIsTriedAgain) {
    fail("failed", "v1.dex.near");
    fail("held by the dead", "v1.dex.near");
    EXPECT_EQ(process().claimed_ids(5).size(), 2u);
    record(process(), failed("failed", 0ms));
    ASSERT_TRUE(add(silence(kDex)));
    execute("UPDATE deliveries SET next_attempt_at = now() - interval '1 second'");
    EXPECT_EQ(other().claimed_ids(5).size(), 2u);
}

TEST_F(Silences, ThatCannotBeSayWhy) {
    auto long_ago = silence(kDex);
    long_ago.starts_at = "2020-01-01T00:00:00Z";
    EXPECT_EQ(add(long_ago).error(), "the end of the silence has passed already");
    EXPECT_EQ(add(silence(kDex, 0ms)).error(), "a silence must end after its start");
    EXPECT_EQ(add(silence(kDex, std::chrono::hours(9'000))).error(),
              "a silence must not be longer than 366 days");
    auto unsigned_one = silence(kDex);
    unsigned_one.author.clear();
    EXPECT_EQ(add(unsigned_one).error(), "a silence needs an author");
    execute(
        "INSERT INTO silences (matcher, starts_at, ends_at, reason, author) "
        "SELECT '{\"rule\":[\"x\"]}', now(), now() + interval '1 hour', 'r', 'a' "
        "FROM generate_series(1, 1000)");
    EXPECT_THAT(add(silence(kDex)).error(), HasSubstr("there are 1000 silences already"));
}

TEST_F(Silences, OfANewerProgramThatAreNotUnderstoodMatchNothing) {
    ASSERT_TRUE(add(silence(kDex)));
    execute("UPDATE silences SET matcher = '{\"planet\":[\"*\"]}'");
    fail("a", "v1.dex.near");
    EXPECT_THAT(process().claimed_ids(5), ElementsAre("a"));
}

}  // namespace
}  // namespace receiptd::test
