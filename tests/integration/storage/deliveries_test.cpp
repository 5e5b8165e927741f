// Each delivery is made by one process at a time, and what came of it is kept.
#include "alert_test_support.hpp"
#include "metrics/registry.hpp"
#include "support/served.hpp"

#include <gmock/gmock.h>

#include <future>
#include <set>

namespace receiptd::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// As if all leases had run out.
constexpr const char* kTimePasses = "UPDATE deliveries SET next_attempt_at = now() - interval '1 second'";

using Deliveries = AlertsTest;

TEST_F(Deliveries, TheLongestDueComeFirstAndNoMoreThanAskedFor) {
    queue("a", 10);
    queue("b", 30);
    queue("c", 20);
    EXPECT_THAT(process().claimed_ids(2), ElementsAre("b", "c"));
    EXPECT_THAT(process().claimed_ids(2), ElementsAre("a"));
    EXPECT_THAT(process().claimed_ids(2), IsEmpty());
}

TEST_F(Deliveries, TheBacklogOfAnEndpointHidesNoOther) {
    for (int i = 0; i < 20; ++i) queue("a" + std::to_string(i), 100);
    queue("b", 1, "lab");
    const auto due =
        await(process().deliveries.claim_deliveries({{"ops", 3}, {"lab", 3}, {"none", 3}}, 30s)).due;
    EXPECT_EQ(due.size(), 4u);
    EXPECT_EQ(due.back().endpoint, "lab");
}

TEST_F(Deliveries, ClaimersAtTheSameTimeGetDisjointRows) {
    for (int i = 0; i < 200; ++i) queue("a" + std::to_string(i));
    const auto take_all = [](Process& process) {
        std::vector<std::string> all;
        for (auto ids = process.claimed_ids(7); !ids.empty(); ids = process.claimed_ids(7))
            all.insert(all.end(), ids.begin(), ids.end());
        return all;
    };
    auto others = std::async(std::launch::async, [&] { return take_all(other()); });
    auto all = take_all(process());
    const auto taken = others.get();
    all.insert(all.end(), taken.begin(), taken.end());
    EXPECT_EQ(all.size(), 200u);
    EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), 200u);
}

TEST_F(Deliveries, ARowThatAnotherTransactionHoldsIsPassedOver) {
    queue("a", 10);
    queue("b", 5);
    auto connection = storage::shim::connect(database().url());
    pqxx::work holding(*connection);
    holding.exec("SELECT FROM deliveries WHERE alert_id = 'a' FOR UPDATE");
    EXPECT_THAT(process().claimed_ids(5), ElementsAre("b"));
}

TEST_F(Deliveries, KeepTheBeginningOfTheAnswer) {
    queue("refused");
    process().claim(1);
    auto outcome = failed("refused", 1h);
    outcome.answer = "no such team\n\x1b[31m\xff" + std::string(5'000, 'x');
    record(process(), outcome);
    EXPECT_EQ(value("SELECT last_answer FROM deliveries"), "no such team\n?[31m?" + std::string(4'077, 'x'));
}

TEST_F(Deliveries, AnAttemptThatDoesNotCountIsNotCounted) {
    queue("busy");
    process().claim(1);
    auto outcome = failed("busy", 1h);
    outcome.counts = false;
    record(process(), outcome);
    EXPECT_EQ(state_of("busy"), "pending|0|500|HTTP 500\n");
}

TEST_F(Deliveries, ALeaseThatHasRunOutIsAnothers) {
    queue("a");
    EXPECT_THAT(process().claimed_ids(1), ElementsAre("a"));
    EXPECT_THAT(other().claimed_ids(1), IsEmpty());
    execute(kTimePasses);
    EXPECT_THAT(other().claimed_ids(1), ElementsAre("a"));
    record(process(), failed("a", 1h));
    EXPECT_EQ(state_of("a"), "pending|0|-|-\n");
    record(other(), delivered("a"));
    EXPECT_EQ(state_of("a"), "delivered|1|200|-\n");
}

TEST_F(Deliveries, ALeaseThatNobodyTookOverStillCounts) {
    queue("a");
    process().claimed_ids(1);
    execute(kTimePasses);
    record(process(), delivered("a"));
    EXPECT_EQ(state_of("a"), "delivered|1|200|-\n");
    EXPECT_EQ(value("SELECT count(*) FROM deliveries WHERE delivered_at IS NOT NULL AND lease_owner IS NULL"),
              "1");
}

TEST_F(Deliveries, AnOutcomeCountsOnceHoweverOftenItIsRecorded) {
    queue("a");
    process().claimed_ids(1);
    for (int i = 0; i < 3; ++i) record(process(), failed("a", 0ms));
    EXPECT_EQ(state_of("a"), "pending|1|500|HTTP 500\n");
    const auto again = process().claim(1);
    ASSERT_EQ(again.size(), 1u);
    EXPECT_EQ(again[0].attempts, 1u);
    EXPECT_TRUE(again[0].tried);
}

TEST_F(Deliveries, WhatFailedWaitsForItsTime) {
    queue("a");
    EXPECT_EQ(await(process().deliveries.next_delivery_in({"ops"})), 0ms);
    process().claimed_ids(1);
    record(process(), failed("a", 1h));
    EXPECT_THAT(process().claimed_ids(1), IsEmpty());
    const auto wait = await(process().deliveries.next_delivery_in({"lab", "ops"}));
    ASSERT_TRUE(wait);
    EXPECT_GT(*wait, 59min);
    EXPECT_LE(*wait, 1h);
    EXPECT_EQ(await(process().deliveries.next_delivery_in({"lab"})), std::nullopt);
    EXPECT_EQ(await(process().deliveries.next_delivery_in({})), std::nullopt);
}

TEST_F(Deliveries, TheDeadAreSentAnewFromTheStartOfTheirSchedule) {
    for (const char* id : {"a", "b", "c"}) queue(id);
    process().claimed_ids(3);
    record(process(), given_up("a"));
    record(process(), given_up("b"));
    record(process(), delivered("c"));
    EXPECT_EQ(state_of("a"), "dead|1|-|refused\n");
    EXPECT_EQ(resend(only("dead", "lab")), 0u);
    EXPECT_EQ(resend(only("dead", "ops")), 2u);
    const auto due = process().claim(5);
    ASSERT_EQ(due.size(), 2u);
    EXPECT_EQ(due[0].attempts, 0u);
    EXPECT_TRUE(due[0].tried);
    EXPECT_EQ(resend(only("", "", "c")), 1u);
    EXPECT_EQ(value("SELECT count(*) FROM deliveries WHERE delivered_at IS NOT NULL"), "0");
    EXPECT_THAT(process().claimed_ids(5), ElementsAre("c"));
}

TEST_F(Deliveries, WhatIsSentAnewWhileItIsUnderWayIsSentAgain) {
    queue("a");
    process().claimed_ids(1);
    EXPECT_EQ(resend(only("", "", "a")), 1u);
    record(process(), delivered("a"));
    EXPECT_EQ(state_of("a"), "pending|0|-|-\n");
    EXPECT_THAT(other().claimed_ids(1), ElementsAre("a"));
}

TEST_F(Deliveries, SendingAnewKeepsToItsLimit) {
    for (const char* id : {"a", "b", "c"}) queue(id);
    execute("UPDATE deliveries SET state = 'dead'");
    auto two = only("dead");
    two.limit = 2;
    EXPECT_EQ(resend(two), 2u);
    auto all = only("dead");
    all.limit = 0;
    EXPECT_EQ(resend(all), 1u);
}

TEST_F(Deliveries, ListsTellAllThatIsKnownNewestFirst) {
    queue("a", 20);
    queue("b", 10);
    queue("b", 10, "lab");
    process().claimed_ids(1);
    record(process(), given_up("a"));
    const auto all = await(process().people.list_deliveries({}));
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[0].alert_id + " " + all[0].endpoint, "b lab");
    EXPECT_EQ(all[1].alert_id + " " + all[1].endpoint, "b ops");
    EXPECT_THAT(all[1].next_attempt_at, testing::MatchesRegex("....-..-..T..:..:.........Z"));
    EXPECT_EQ(all[2].state, "dead");
    EXPECT_EQ(all[2].kind, "failed_receipt");
    EXPECT_EQ(all[2].tx_hash, "T");
    EXPECT_EQ(all[2].last_error, "refused");
    EXPECT_EQ(all[2].attempts, 1u);
    EXPECT_EQ(all[2].next_attempt_at, "");
    EXPECT_EQ(await(process().people.list_deliveries(only("pending", "lab"))).size(), 1u);
    EXPECT_EQ(await(process().people.list_deliveries(only("dead", "lab"))).size(), 0u);
    EXPECT_THROW(await(process().people.list_deliveries(only("dead' OR true --"))), storage::StorageError);
}

TEST_F(Deliveries, AreChosenByTheTimeAndTheRuleOfTheirAlerts) {
    for (const char* id : {"old", "middle", "new"}) queue(id);
    execute(
        "UPDATE alerts SET created_at = CASE alert_id WHEN 'old' THEN timestamptz '2026-01-01T00:00Z' "
        "WHEN 'middle' THEN '2026-01-02T00:00Z' ELSE '2026-01-03T00:00Z' END");
    execute("UPDATE deliveries SET state = 'delivered', rules = '{payments@3}' WHERE alert_id <> 'old'");
    storage::DeliveryFilter filter;
    filter.since = "2026-01-01T00:00:00Z";
    filter.until = "2026-01-03T00:00:00Z";
    const auto of_two_days = await(process().people.list_deliveries(filter));
    ASSERT_EQ(of_two_days.size(), 2u);
    EXPECT_EQ(of_two_days[0].alert_id, "middle");
    EXPECT_EQ(of_two_days[1].alert_id, "old");
    filter.rule = "payments";
    EXPECT_EQ(await(process().people.count_deliveries(filter)), 1u);
    EXPECT_EQ(value("SELECT count(*) FROM deliveries WHERE state = 'delivered'"), "2") << "it only counts";
    EXPECT_EQ(resend(filter), 1u);
    EXPECT_EQ(rows("SELECT alert_id, state FROM deliveries ORDER BY 1"),
              "middle|pending\nnew|delivered\nold|pending\n");
}

TEST_F(Deliveries, AnAlertIsShownWithEverythingThatIsStoredOfIt) {
    queue("completed:T");
    queue("completed:T", 1, "lab");
    execute("UPDATE alerts SET kind = 'completed', cause = '{\"stage\": \"completed\"}'");
    await(process().deliveries.keep_payloads({{"completed:T", "{}"}}));
    const auto alert = await(process().people.alert("completed:T"));
    ASSERT_TRUE(alert);
    EXPECT_EQ(alert->kind, "completed");
    EXPECT_EQ(alert->tx_hash, "T");
    EXPECT_THAT(alert->told_json, HasSubstr("stage"));
    EXPECT_EQ(alert->payload, "{}");
    EXPECT_FALSE(alert->finding);
    ASSERT_EQ(alert->deliveries.size(), 2u);
    EXPECT_EQ(alert->deliveries[0].endpoint, "lab");
    EXPECT_FALSE(await(process().people.alert("none")));
}

TEST_F(Deliveries, PagesOfAListHaveEachDeliveryOnce) {
    for (const auto* id : {"a", "b", "c,d"})
        for (const auto* endpoint : {"lab", "ops"}) queue(id, 10, endpoint);
    queue("old", 500);
    execute("UPDATE alerts SET created_at = now() - interval '10 seconds' WHERE alert_id <> 'old'");
    std::vector<std::string> seen;
    storage::DeliveryFilter filter;
    filter.limit = 2;
    for (auto page = await(process().people.list_deliveries(filter)); !page.empty();
         page = await(process().people.list_deliveries(filter))) {
        for (const auto& row : page) seen.push_back(row.alert_id + " " + row.endpoint);
        filter.cursor = delivery_cursor(page.back());
    }
    EXPECT_THAT(seen, ElementsAre("a lab", "a ops", "b lab", "b ops", "c,d lab", "c,d ops", "old ops"));
    filter.cursor = "yesterday";
    EXPECT_THROW(await(process().people.list_deliveries(filter)), storage::StorageError);
}

TEST_F(Deliveries, TheBacklogIsCountedByEndpoint) {
    queue("a", 100);
    queue("b", 10);
    queue("b", 10, "lab");
    execute("UPDATE deliveries SET state = 'dead' WHERE endpoint = 'lab'");
    const auto backlog = await(process().deliveries.delivery_backlog());
    ASSERT_EQ(backlog.size(), 2u);
    EXPECT_EQ(backlog[0].endpoint, "lab");
    EXPECT_EQ(backlog[0].dead, 1u);
    EXPECT_EQ(backlog[0].oldest_pending, 0ms);
    EXPECT_EQ(backlog[1].pending, 2u);
    EXPECT_GE(backlog[1].oldest_pending, 100s);
    EXPECT_EQ(backlog[0].oldest_cause, 0ms);
}

TEST_F(Deliveries, TheOldestCauseIsNotTheOldestAlert) {
    queue("a", 100);
    queue("late", 10);
    execute("UPDATE alerts SET caused_at = now() - interval '1 hour' WHERE alert_id = 'late'");
    const auto backlog = await(process().deliveries.delivery_backlog());
    ASSERT_EQ(backlog.size(), 1u);
    EXPECT_GE(backlog[0].oldest_cause, 1h);
    EXPECT_LT(backlog[0].oldest_pending, 1h);
}

TEST_F(Deliveries, ThatAreDueForFiveMinutesWithoutAnAttemptAreCounted) {
    const auto not_tried = [&] { return await(process().deliveries.delivery_backlog()).at(0).not_tried; };
    queue("just now", 100);
    EXPECT_EQ(not_tried(), 0u);
    for (const auto* id : {"never", "claimed", "tried", "retried"}) queue(id, 400);
    execute("UPDATE alerts SET tx_hash = alert_id");
    execute(
        "UPDATE deliveries SET next_attempt_at = now() + interval '30 seconds' WHERE alert_id = 'claimed'");
    execute("UPDATE deliveries SET attempts = 1, last_status = 500 WHERE alert_id IN ('tried', 'retried')");
    execute("UPDATE deliveries SET next_attempt_at = now() WHERE alert_id = 'retried'");
    EXPECT_EQ(not_tried(), 3u) << "all but those that wait for less, or for their next attempt";
    execute("UPDATE alerts SET tx_hash = 'T', place = CASE alert_id WHEN 'never' THEN 1 ELSE 2 END");
    EXPECT_EQ(not_tried(), 1u) << "the others may wait for the first of their transaction";
}

// The backlog is looked at every few seconds: sorting a million deliveries each time would cost ingest.
TEST_F(Deliveries, ThatHaveWaitedLongestAreFoundWithoutSortingTheRest) {
    execute(
        "INSERT INTO alerts (alert_id, kind) SELECT 'old:' || n, 'stuck' FROM generate_series(1, 20000) n; "
        "INSERT INTO deliveries (alert_id, endpoint, created_at) SELECT alert_id, 'ops', "
        "now() - random() * interval '1 day' FROM alerts; ANALYZE deliveries");
    EXPECT_THAT(rows("EXPLAIN SELECT alert_id FROM deliveries d WHERE d.endpoint = 'ops' "
                     "AND d.state = 'pending' ORDER BY d.created_at LIMIT 1000"),
                Not(HasSubstr("Sort")));
}

TEST_F(Deliveries, ADaemonWithOtherEndpointsLeavesThoseOfOthersAsTheyAre) {
    await(process().deliveries.serve_endpoints(test::served({"ops", "lab"}), storage::Serving::begins));
    await(other().deliveries.serve_endpoints(test::served({"ops", "new"}), storage::Serving::begins));
    await(other().deliveries.serve_endpoints(test::served({}), storage::Serving::begins));
    EXPECT_EQ(rows("SELECT name, active FROM endpoints ORDER BY 1"), "lab|t\nnew|t\nops|t\n");
}

TEST_F(Deliveries, AnEndpointIsServedAsLongAsADaemonGoesOnWithIt) {
    const auto make_old = "UPDATE endpoints SET served_at = now() - interval '1 day'";
    await(process().deliveries.serve_endpoints(test::served({"ops", "lab"}), storage::Serving::begins));
    execute(make_old);
    await(process().deliveries.serve_endpoints(test::served({"ops"}), storage::Serving::goes_on));
    EXPECT_EQ(rows("SELECT name, served_at > now() - interval '1 hour' FROM endpoints ORDER BY 1"),
              "lab|f\nops|t\n");
}

TEST_F(Deliveries, AnEndpointThatIsGoneStaysSwitchedOffUntilADaemonWithItStarts) {
    await(process().deliveries.serve_endpoints(test::served({"ops", "lab"}), storage::Serving::begins));
    queue("a");
    auto gone = given_up("a");
    gone.endpoint_gone = true;
    record(other(), gone);  // not its lease
    EXPECT_EQ(value("SELECT count(*) FROM endpoints WHERE active"), "2");
    process().claimed_ids(1);
    record(process(), gone);
    await(process().deliveries.serve_endpoints(test::served({"ops", "lab"}), storage::Serving::goes_on));
    EXPECT_EQ(rows("SELECT name FROM endpoints WHERE active"), "lab\n");
    await(process().deliveries.serve_endpoints(test::served({"ops", "lab"}), storage::Serving::begins));
    EXPECT_EQ(value("SELECT count(*) FROM endpoints WHERE active"), "2");
}

TEST_F(Deliveries, AnEndpointThatIsGoneIsSentNothingUntilSomethingIsSentAnew) {
    await(process().deliveries.serve_endpoints(test::served({"ops", "lab"}), storage::Serving::begins));
    queue("a", 10);
    queue("b", 5);
    queue("b", 5, "lab");
    process().claimed_ids(1);
    auto gone = given_up("a");
    gone.endpoint_gone = true;
    record(process(), gone);
    EXPECT_THAT(other().claimed_ids(5), IsEmpty());
    EXPECT_EQ(await(other().deliveries.next_delivery_in({"ops"})), std::nullopt);
    EXPECT_THAT(other().claimed_ids(5, "lab"), ElementsAre("b"));
    EXPECT_EQ(resend(only("dead", "lab")), 0u);
    EXPECT_EQ(rows("SELECT name FROM endpoints WHERE active"), "lab\n") << "nothing was sent anew";
    EXPECT_EQ(resend(only("", "ops", "a")), 1u);
    EXPECT_EQ(value("SELECT count(*) FROM endpoints WHERE active"), "2");
    EXPECT_THAT(other().claimed_ids(5), testing::UnorderedElementsAre("a", "b"));
}

TEST_F(Deliveries, HostileTextsAreOnlyTexts) {
    const std::string hostile = "x'); DROP TABLE deliveries; --\\{\"},{\n";
    execute(
        "INSERT INTO alerts (alert_id, kind) VALUES (E'x''); DROP TABLE deliveries; --\\\\{\"},{\\n', "
        "'stuck')");
    await(process().deliveries.serve_endpoints(test::served({hostile}), storage::Serving::begins));
    execute("INSERT INTO deliveries (alert_id, endpoint) SELECT alert_id, name FROM alerts, endpoints");
    const auto due = process().claim(1, hostile);
    ASSERT_EQ(due.size(), 1u);
    EXPECT_EQ(due[0].alert_id, hostile);
    EXPECT_EQ(await(process().deliveries.keep_payloads({{hostile, hostile}})).at(hostile).body, hostile);
    auto outcome = outcome_of(hostile, hostile);
    outcome.dead = true;
    outcome.error = std::string("bad \xff\x00 bytes\x1b[2J", 16) + std::string(10'000, 'x');
    record(process(), outcome);
    const auto listed = await(process().people.list_deliveries(only("dead", hostile, hostile)));
    ASSERT_EQ(listed.size(), 1u);
    EXPECT_THAT(listed[0].last_error, HasSubstr("bad ?? bytes?[2J"));
    EXPECT_LE(listed[0].last_error.size(), 500u);
}

TEST_F(Deliveries, AConnectionKilledInBetweenCostsNothing) {
    queue("a");
    EXPECT_THAT(process().claimed_ids(1), ElementsAre("a"));
    run_sql(database().maintenance_url(),
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + database().name() +
                "' AND pid <> pg_backend_pid()");
    record(process(), delivered("a"));
    EXPECT_EQ(state_of("a"), "delivered|1|200|-\n");
    EXPECT_GE(process().series.reconnects.Value(), 1);
}

}  // namespace
}  // namespace receiptd::test
