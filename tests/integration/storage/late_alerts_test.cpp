// An alert that comes long after its cause is marked, or kept back where its rules say so; nothing waits for
// ever.
#include "alert_test_support.hpp"

#include <gmock/gmock.h>

namespace receiptd::test {
namespace {

using namespace std::chrono_literals;
using testing::SizeIs;

class LateAlerts : public AlertsTest {
protected:
    LateAlerts() {
        room.endpoint = "ops";
        room.limit = 16;
        room.storm.late_after = 10min;
        room.storm.expire_after = 96h;
    }
    void caused(const std::string& id, const std::string& ago, bool withheld = false) {
        queue(id);
        execute("UPDATE alerts SET caused_at = now() - interval '" + ago + "' WHERE alert_id = '" + id +
                "'; UPDATE deliveries SET withhold_late = " + (withheld ? "true" : "false") +
                " WHERE alert_id = '" + id + "'");
    }
    std::vector<storage::DueDelivery> take() {
        return await(process().deliveries.claim_deliveries({room}, 30s)).due;
    }
    std::string states() {
        return rows("SELECT alert_id, state, late, dead_because FROM deliveries ORDER BY 1");
    }

    storage::EndpointRoom room;
};

TEST_F(LateAlerts, AnAlertIsMarkedByTheAgeOfItsCauseAtTheFirstAttempt) {
    caused("new", "9 minutes");
    caused("old", "11 minutes");
    const auto due = take();
    ASSERT_THAT(due, SizeIs(2));
    for (const auto& each : due) EXPECT_EQ(each.late, each.alert_id == "old");
    EXPECT_EQ(states(), "new|pending|f|-\nold|pending|t|-\n");
    record(process(), failed("old", 0ms));
    record(process(), failed("new", 0ms));
    execute("UPDATE alerts SET caused_at = now() - interval '1 hour'");
    for (const auto& each : take())
        EXPECT_EQ(each.late, each.alert_id == "old") << "all attempts send the same";
}

TEST_F(LateAlerts, RulesMayKeepLateAlertsBackButThoseOfTransactionsAreSent) {
    caused("withheld", "1 hour", true);
    caused("in time", "1 minute", true);
    caused("completed:T", "1 hour", true);
    execute("UPDATE alerts SET kind = 'completed' WHERE alert_id = 'completed:T'");
    EXPECT_THAT(take(), SizeIs(2));
    EXPECT_EQ(states(), "completed:T|pending|t|-\nin time|pending|f|-\nwithheld|late|t|-\n");
    EXPECT_EQ(resend(only("late")), 1u);
    EXPECT_THAT(take(), SizeIs(1));
}

TEST_F(LateAlerts, WhatIsPendingForTooLongIsDeadAndCanBeSentByHand) {
    queue("fresh");
    queue("waited", 97 * 3600);
    queue("tried", 97 * 3600);
    queue("group:1:digest:5", 97 * 3600);
    execute(
        "UPDATE deliveries SET attempts = 2, last_error = 'HTTP 500' WHERE alert_id = 'tried'; "
        "UPDATE alerts SET kind = 'group_digest' WHERE alert_id LIKE 'group%'");
    EXPECT_THAT(take(), SizeIs(1));
    EXPECT_EQ(rows("SELECT alert_id, state, dead_because, last_error FROM deliveries ORDER BY 1"),
              "fresh|pending|-|-\n"
              "group:1:digest:5|dead|expired|it has waited too long\n"
              "tried|dead|expired|HTTP 500\n"
              "waited|dead|expired|it has waited too long\n");
    EXPECT_EQ(resend(only("dead")), 3u);
    EXPECT_THAT(take(), SizeIs(3)) << "it has its whole schedule again";
}

TEST_F(LateAlerts, TheFirstOfAGroupIsMarkedToo) {
    room.storm.group = {storm::KeyPart::receiver};
    room.storm.digest_after = 1min;
    room.storm.resolve_after = 10min;
    caused("a", "1 hour");
    caused("b", "1 hour");
    const auto due = take();
    ASSERT_THAT(due, SizeIs(1));
    EXPECT_TRUE(due[0].late);
    EXPECT_NE(due[0].group_id, 0);
    EXPECT_EQ(value("SELECT late AND group_id IS NOT NULL FROM deliveries WHERE alert_id = '" +
                    due[0].alert_id + "'"),
              "t");
}

}  // namespace
}  // namespace receiptd::test
