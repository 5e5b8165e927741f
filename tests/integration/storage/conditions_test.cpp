// Endpoints that were told of a condition hear when it is over.
#include "alert_test_support.hpp"

#include <gmock/gmock.h>

namespace receiptd::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::SizeIs;

class Conditions : public AlertsTest {
protected:
    Conditions() {
        room.endpoint = "ops";
        room.limit = 16;
        room.storm.digest_after = 1min;
        room.storm.resolve_after = 10min;
    }
    void stuck(const std::string& tx_hash) {
        queue("stuck:" + tx_hash);
        execute("UPDATE alerts SET kind = 'stuck', tx_hash = '" + tx_hash + "' WHERE alert_id = 'stuck:" +
                tx_hash + "'; INSERT INTO watches (tx_hash, sender_id, stage, stuck_since) VALUES ('" +
                tx_hash + "', 'alice.near', 'pending', now())");
    }
    std::vector<std::string> take() {
        std::vector<std::string> ids;
        for (const auto& due : await(process().deliveries.claim_deliveries({room}, 30s)).due)
            ids.push_back(due.alert_id);
        for (const auto& id : ids) record(process(), delivered(id));
        return ids;
    }
    unsigned tend() {
        execute("UPDATE alert_groups SET due_at = now() - interval '1 second' WHERE ended_at IS NULL");
        return await(process().deliveries.tend_storms({{room.endpoint, room.storm}}));
    }

    storage::EndpointRoom room;
    const std::string first = std::string(43, 'A');
    const std::string second = std::string(43, 'B');
};

TEST_F(Conditions, OfATransactionThatWasStuckTheEndIsToldWithoutGroupsToo) {
    stuck(first);
    stuck(second);
    EXPECT_THAT(take(), SizeIs(2));
    EXPECT_EQ(tend(), 0u);
    execute("UPDATE alert_groups SET last_member_at = now() - interval '3 hours'");
    EXPECT_EQ(tend(), 0u) << "it is still stuck";
    execute("UPDATE watches SET stuck_since = NULL WHERE tx_hash = '" + first + "'");
    EXPECT_EQ(tend(), 1u);
    EXPECT_EQ(value("SELECT cause ->> 'alert_id' FROM alerts WHERE kind = 'group_resolved'"),
              "stuck:" + first);
    execute("UPDATE watches SET stage = 'dropped'");
    EXPECT_EQ(tend(), 1u);
    EXPECT_EQ(tend(), 0u);
}

TEST_F(Conditions, AGroupOfThemIsOverWhenNoneHoldsAnyMore) {
    room.storm.group = {storm::KeyPart::rule};
    stuck(first);
    stuck(second);
    queue("failed_receipt:R");
    EXPECT_THAT(take(), SizeIs(2)) << "a failure is in a group of its own";
    execute("UPDATE watches SET stuck_since = NULL WHERE tx_hash = '" + first + "'");
    EXPECT_EQ(tend(), 0u);
    execute("UPDATE watches SET stuck_since = NULL");
    EXPECT_EQ(tend(), 1u);
    EXPECT_EQ(value("SELECT cause ->> 'count' FROM alerts WHERE kind = 'group_resolved'"), "2");
}

TEST_F(Conditions, OfATimedRuleTheEndOfTheEpisodeIsTold) {
    queue("absence:oracle:1");
    execute(
        "UPDATE alerts SET kind = 'absence'; "
        "INSERT INTO timed_episodes (rule, began_at, version, alert_id) "
        "VALUES ('oracle', now(), 1, 'absence:oracle:1')");
    EXPECT_THAT(take(), ElementsAre("absence:oracle:1"));
    EXPECT_EQ(tend(), 0u);
    execute("UPDATE timed_episodes SET ended_at = now() + interval '1 minute'");
    EXPECT_EQ(tend(), 1u);
    EXPECT_THAT(take(), ElementsAre(testing::MatchesRegex("group-.*:resolved")));
}

TEST_F(Conditions, WhoWasNotToldHearsNothingOfTheEnd) {
    stuck(first);
    execute(
        "INSERT INTO silences (matcher, starts_at, ends_at, reason, author) VALUES "
        "('{\"kind\":[\"stuck\"]}', now(), now() + interval '1 hour', 'r', 'a'); "
        "UPDATE alert_rule_state SET silences = silences + 1");
    EXPECT_THAT(take(), SizeIs(0));
    execute("UPDATE watches SET stuck_since = NULL");
    EXPECT_EQ(tend(), 0u);
}

}  // namespace
}  // namespace receiptd::test
