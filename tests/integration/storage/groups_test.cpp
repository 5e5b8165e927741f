// An endpoint gets a few messages that count thousands of alerts, whoever claims them and dies.
#include "alert_test_support.hpp"

#include <gmock/gmock.h>

#include <future>
#include <set>

namespace receiptd::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

class Groups : public AlertsTest {
protected:
    Groups() {
        room.endpoint = "ops";
        room.limit = 16;
        room.storm.group = {storm::KeyPart::receiver, storm::KeyPart::error_class};
        room.storm.digest_after = 1min;
        room.storm.resolve_after = 10min;
    }

    void fail(int first, int last, const std::string& contract = "dex.near") {
        execute(
            "WITH made AS (INSERT INTO alerts (alert_id, kind, contract_id, error_class, caused_at) "
            "  SELECT '" +
            contract + ":' || n, 'failed_receipt', '" + contract +
            "', 'contract_panic', now() FROM generate_series(" + std::to_string(first) + ", " +
            std::to_string(last) +
            ") n RETURNING alert_id) INSERT INTO deliveries (alert_id, endpoint, rules, next_attempt_at) "
            "SELECT alert_id, 'ops', '{on-call@2}', now() - interval '1 second' FROM made");
    }
    storage::Claimed claim(Process& process) {
        return await(process.deliveries.claim_deliveries({room}, 30s));
    }
    std::vector<std::string> claimed_ids(Process& process) {
        std::vector<std::string> ids;
        for (const auto& due : claim(process).due) ids.push_back(due.alert_id);
        return ids;
    }
    unsigned tend(Process& process) {
        return await(process.deliveries.tend_storms({{room.endpoint, room.storm}}));
    }
    // The name of the group with that number.
    std::string name(int group = 1) {
        return value("SELECT name FROM alert_groups WHERE group_id = " + std::to_string(group));
    }
    // As if all that happened had happened so much earlier.
    void pass(const std::string& time) {
        execute("UPDATE alert_groups SET told_at = told_at - interval '" + time +
                "', last_member_at = last_member_at - interval '" + time + "', due_at = due_at - interval '" +
                time + "'; UPDATE endpoint_load SET hour = hour - interval '" + time +
                "', free_at = free_at - interval '" + time + "'");
    }
    std::string counts() { return rows("SELECT state, count(*) FROM deliveries GROUP BY state ORDER BY 1"); }
    std::string told(const std::string& what) {
        return rows("SELECT alert_id, cause ->> '" + what +
                    "' FROM alerts WHERE cause IS NOT NULL ORDER BY 1");
    }
    // Members that messages have counted or will count, and those that joined.
    void expect_exact(int alerts) {
        EXPECT_EQ(value("SELECT sum(members) FROM alert_groups"), std::to_string(alerts));
        EXPECT_EQ(value("SELECT count(*) FROM deliveries WHERE group_id IS NOT NULL AND alert_id NOT LIKE "
                        "'group-%'"),
                  std::to_string(alerts));
        EXPECT_EQ(
            value("SELECT coalesce(sum((cause ->> 'untold')::int), 0) + "
                  "  (SELECT count(*) FROM alert_groups) + (SELECT sum(members - told) FROM alert_groups) "
                  "FROM alerts WHERE kind IN ('group_digest', 'group_resolved')"),
            std::to_string(alerts));
    }

    storage::EndpointRoom room;
};

TEST_F(Groups, TheFirstIsSentAtOnceAndTheRestIsCounted) {
    fail(1, 100);
    const auto claimed = claim(process());
    ASSERT_THAT(claimed.due, SizeIs(1));
    EXPECT_EQ(claimed.due[0].group_id, 1);
    ASSERT_THAT(claimed.not_sent, SizeIs(1));
    EXPECT_EQ(claimed.not_sent[0].state, "grouped");
    EXPECT_EQ(claimed.not_sent[0].count, 99u);
    EXPECT_EQ(counts(), "grouped|99\npending|1\n");
    EXPECT_EQ(tend(process()), 0u);
    pass("1 minute");
    EXPECT_EQ(tend(process()), 1u);
    EXPECT_EQ(told("untold"), name() + ":digest:1|99\n");
    EXPECT_EQ(value("SELECT rules FROM deliveries WHERE alert_id LIKE '%:digest:1'"), "{on-call@2}");
    EXPECT_EQ(value("SELECT json_array_length(cause -> 'alert_ids') FROM alerts WHERE kind = 'group_digest'"),
              "20");
    EXPECT_THAT(claimed_ids(other()), ElementsAre(name() + ":digest:1")) << "no group for what tells of one";
    expect_exact(100);
}

TEST_F(Groups, AGroupEndsWithWhatNobodyWasToldAndTheNextAlertOpensAnother) {
    fail(1, 3);
    claimed_ids(process());
    record(process(), delivered("dex.near:1"));
    pass("10 minutes");
    EXPECT_EQ(tend(process()), 1u);
    EXPECT_EQ(told("untold"), name() + ":resolved|2\n");
    EXPECT_EQ(told("count"), name() + ":resolved|3\n");
    EXPECT_EQ(tend(process()), 0u);
    fail(4, 4);
    EXPECT_THAT(claimed_ids(process()), UnorderedElementsAre("dex.near:4", name() + ":resolved"));
    record(process(), delivered("dex.near:4"));
    pass("10 minutes");
    EXPECT_EQ(tend(process()), 0u) << "nobody is told of the end of one alert";
    EXPECT_EQ(value("SELECT count(*) FROM alert_groups WHERE ended_at IS NULL"), "0");
    expect_exact(4);
}

TEST_F(Groups, WhatDiffersIsKeptApartAndNoMoreThanTheRoomIsSent) {
    for (int i = 0; i < 20; ++i) fail(1, 5, "c" + std::to_string(i) + ".near");
    EXPECT_THAT(claim(process()).due, SizeIs(16));
    EXPECT_EQ(counts(), "grouped|64\npending|36\n") << "what must wait is decided later";
    EXPECT_THAT(claim(process()).due, SizeIs(4));
    EXPECT_EQ(counts(), "grouped|80\npending|20\n");
    expect_exact(100);
}

TEST_F(Groups, TransactionsAndWhatPeopleSendAreNeverCountedInstead) {
    fail(1, 4);
    claimed_ids(process());
    execute(
        "UPDATE alerts SET kind = 'completed' WHERE alert_id IN ('dex.near:2', 'dex.near:3'); "
        "UPDATE deliveries SET state = 'pending', group_id = NULL WHERE alert_id IN ('dex.near:2', "
        "'dex.near:3')");
    EXPECT_EQ(resend(only("grouped", "", "dex.near:4")), 1u);
    EXPECT_THAT(claimed_ids(other()), UnorderedElementsAre("dex.near:2", "dex.near:3", "dex.near:4"));
}

TEST_F(Groups, DaemonsThatShareAnEndpointCountTogether) {
    fail(1, 2'000);
    const auto take_all = [this](Process& process) {
        std::size_t sent = 0;
        for (auto claimed = claim(process); !claimed.due.empty() || !claimed.not_sent.empty();
             claimed = claim(process)) {
            sent += claimed.due.size();
            tend(process);
        }
        return sent;
    };
    auto others = std::async(std::launch::async, [&] { return take_all(other()); });
    const auto sent = take_all(process());
    EXPECT_EQ(sent + others.get(), 1u);
    EXPECT_EQ(counts(), "grouped|1999\npending|1\n");
    expect_exact(2'000);
}

TEST_F(Groups, AClaimThatDiesCountsNothingAndItsFirstAlertIsSentByItself) {
    fail(1, 10);
    claimed_ids(process());
    execute("UPDATE deliveries SET next_attempt_at = now() - interval '1 second' WHERE state = 'pending'");
    fail(11, 12);
    EXPECT_THAT(claimed_ids(other()), ElementsAre("dex.near:1")) << "of a process that died";
    expect_exact(12);
    const auto again = rows("SELECT members, told FROM alert_groups");
    EXPECT_EQ(again, "12|1\n");
}

TEST_F(Groups, FirstAlertsOfADeadClaimForWhichThereIsNoRoomAreSentLater) {
    for (int i = 0; i < 8; ++i) fail(1, 2, "c" + std::to_string(i) + ".near");
    EXPECT_THAT(claim(process()).due, SizeIs(8));
    execute("UPDATE deliveries SET next_attempt_at = now() - interval '1 second' WHERE state = 'pending'");
    room.limit = 3;
    std::set<std::string> sent;
    for (int turn = 0; turn < 3; ++turn)
        for (auto& id : claimed_ids(other())) sent.insert(std::move(id));
    EXPECT_THAT(sent, SizeIs(8));
    expect_exact(16);
}

TEST_F(Groups, WhatADeadClaimMayHaveSentStaysDecidedWhereThereIsNoRoom) {
    room.storm.group.clear();
    room.storm.most_per_hour = 3;
    fail(1, 3);
    EXPECT_THAT(claim(process()).due, SizeIs(3));
    execute("UPDATE deliveries SET next_attempt_at = now() - interval '1 second'");
    room.storm.most_per_second = 1;
    EXPECT_THAT(claim(other()).due, SizeIs(1));
    room.storm.most_per_second = 0;
    EXPECT_THAT(claim(other()).due, SizeIs(2));
    EXPECT_EQ(counts(), "pending|3\n") << "the limit has counted them before";
}

TEST_F(Groups, WhoForgetsIsToldEachMinuteUnderOneId) {
    room.storm.repeats = true;
    fail(1, 1);
    claimed_ids(process());
    record(process(), delivered("dex.near:1"));
    for (int minute = 1; minute <= 3; ++minute) {
        pass("1 minute");
        EXPECT_EQ(tend(process()), 1u);
        EXPECT_THAT(claimed_ids(process()), ElementsAre(name() + ":now"));
        record(process(), delivered(name() + ":now"));
    }
    pass("1 minute");
    EXPECT_EQ(tend(process()), 1u);
    pass("10 minutes");
    EXPECT_EQ(tend(process()), 1u);
    EXPECT_EQ(value("SELECT state FROM deliveries WHERE alert_id LIKE '%:now'"), "overtaken")
        << "it must not be told after the end";
    EXPECT_THAT(claimed_ids(process()), ElementsAre(name() + ":resolved"));
}

TEST_F(Groups, ACapWithholdsTheRestOfTheHourAndSaysSo) {
    room.storm.group.clear();
    room.storm.most_per_hour = 3;
    fail(1, 10);
    EXPECT_THAT(claimed_ids(process()), SizeIs(3));
    EXPECT_EQ(counts(), "pending|4\nwithheld|7\n");
    EXPECT_THAT(claimed_ids(process()), ElementsAre(testing::MatchesRegex("withheld-.*:begin")));
    EXPECT_EQ(told("withheld").substr(told("withheld").find('|')), "|-\n");
    pass("1 hour");
    EXPECT_EQ(tend(other()), 1u);
    EXPECT_EQ(tend(process()), 0u);
    EXPECT_EQ(value("SELECT cause ->> 'withheld' FROM alerts WHERE alert_id LIKE '%:end'"), "7");
    EXPECT_EQ(resend(only("withheld")), 7u) << "any can be sent by hand";
    EXPECT_THAT(claimed_ids(process()), SizeIs(8));
}

TEST_F(Groups, ACapOpensNoGroupThatItDoesNotTell) {
    room.storm.most_per_hour = 1;
    fail(1, 5, "a.near");
    fail(1, 5, "b.near");
    EXPECT_THAT(claimed_ids(process()), SizeIs(1));
    EXPECT_EQ(value("SELECT count(*) FROM alert_groups"), "1");
    EXPECT_EQ(value("SELECT count(*) FROM deliveries WHERE state = 'grouped'"), "4");
    EXPECT_EQ(value("SELECT count(*) FROM deliveries WHERE state = 'withheld'"), "5");
}

TEST_F(Groups, ARuleOpensSoManyGroupsInAnHour) {
    room.storm.most_groups_per_hour = 3;
    for (int contract = 1; contract <= 6; ++contract) fail(1, 2, "c" + std::to_string(contract) + ".near");
    auto claimed = claim(process());
    EXPECT_THAT(claimed.due, SizeIs(4)) << "three groups, and that of the rest";
    EXPECT_EQ(value("SELECT count(*) FROM alert_groups"), "4");
    EXPECT_EQ(rows("SELECT key, members FROM alert_groups WHERE key NOT LIKE '%contract_id%'"),
              "{\"rules\":[\"on-call\"]}|6\n");
    EXPECT_THAT(claimed.due, testing::Contains(testing::Field(&storage::DueDelivery::group_json,
                                                              R"({"rules":["on-call"]})")));
    fail(1, 1, "c7.near");
    EXPECT_THAT(claimed_ids(other()), IsEmpty()) << "counted there, by another daemon, too";
    execute(
        "UPDATE deliveries SET next_attempt_at = now() - interval '1 second' WHERE lease_owner IS NOT NULL");
    EXPECT_THAT(claim(other()).due,
                testing::Each(testing::Field(&storage::DueDelivery::group_json, testing::Not(IsEmpty()))));
    execute("UPDATE alert_groups SET opened_at = opened_at - interval '1 hour'");
    fail(1, 1, "c8.near");
    EXPECT_THAT(claimed_ids(process()), ElementsAre("c8.near:1"));
    expect_exact(14);
}

TEST_F(Groups, EachRuleHasGroupsOfItsOwn) {
    room.storm.most_groups_per_hour = 1;
    fail(1, 1, "a.near");
    fail(1, 1, "b.near");
    execute("UPDATE deliveries SET rules = '{payments@1}' WHERE alert_id LIKE 'b.near%'");
    EXPECT_THAT(claimed_ids(process()), SizeIs(2));
    EXPECT_EQ(value("SELECT count(*) FROM alert_groups WHERE key LIKE '%contract_id%'"), "2");
}

TEST_F(Groups, APaceLetsTheRestWaitWhicheverDaemonSends) {
    room.storm.group.clear();
    room.storm.most_per_second = 5;
    fail(1, 20);
    const auto claimed = claim(process());
    EXPECT_THAT(claimed.due, SizeIs(5));
    ASSERT_THAT(claimed.pauses, SizeIs(1));
    EXPECT_LE(claimed.pauses[0].time, 200ms);
    pass("200 milliseconds");
    EXPECT_THAT(claimed_ids(other()), SizeIs(testing::Ge(1u)));
    EXPECT_EQ(value("SELECT count(*) FROM deliveries WHERE state <> 'pending'"), "0");
}

TEST_F(Groups, AreListedByTheirNumberAndForgottenAMonthLater) {
    fail(1, 5);
    fail(1, 5, "b.near");
    claimed_ids(process());
    storage::DeliveryFilter filter;
    filter.group_id = 1;
    EXPECT_EQ(await(process().people.list_deliveries(filter)).size(), 5u);
    pass("31 days");
    await(process().database.maintain(base::SystemClock().wall(), {}));
    EXPECT_EQ(value("SELECT count(*) FROM alert_groups"), "0");
}

// A seq scan of deliveries would grow with the backlog.
TEST_F(Groups, AreFoundByTheirIndexesHoweverManyDeliveriesThereAre) {
    execute(
        "INSERT INTO alerts (alert_id, kind) SELECT 'old:' || n, 'stuck' FROM generate_series(1, 20000) n; "
        "INSERT INTO deliveries (alert_id, endpoint, state, next_attempt_at) SELECT alert_id, 'ops', "
        "'pending', now() + interval '1 hour' FROM alerts; "
        "INSERT INTO alert_groups (endpoint, key, members, told, first_at, last_at, ended_at) "
        "SELECT 'ops', n::text, 1, 1, now(), now(), now() FROM generate_series(1, 5000) n; "
        "INSERT INTO alerts (alert_id, kind) SELECT 'new:' || n, 'stuck' FROM generate_series(1, 20000) n; "
        "INSERT INTO deliveries (alert_id, endpoint, state, group_id) SELECT alert_id, 'ops', 'grouped', 7 "
        "FROM alerts WHERE alert_id LIKE 'new:%'; ANALYZE deliveries; ANALYZE alert_groups");
    for (const char* state : {"pending", "delivered"})
        EXPECT_THAT(rows("EXPLAIN SELECT FROM deliveries WHERE group_id = 7 AND state = '" +
                         std::string(state) + "'"),
                    testing::HasSubstr("deliveries_of_groups"));
    EXPECT_THAT(rows("EXPLAIN SELECT FROM deliveries d WHERE d.endpoint = 'ops' AND d.state = 'pending' "
                     "AND d.next_attempt_at <= now() ORDER BY d.next_attempt_at LIMIT 500"),
                testing::HasSubstr("Index"));
    EXPECT_THAT(rows("EXPLAIN SELECT FROM alert_groups WHERE endpoint = ANY ('{ops}'::text[]) "
                     "AND ended_at IS NULL AND due_at <= now() ORDER BY due_at LIMIT 100"),
                testing::HasSubstr("Index"));
}

}  // namespace
}  // namespace receiptd::test
