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
    std::vector<std::string> claim() {
        std::vector<std::string> ids;
        for (const auto& due : await(process().deliveries.claim_deliveries({room}, 30s)).due)
            ids.push_back(due.alert_id);
        return ids;
    }
    std::vector<std::string> take() {
        const auto ids = claim();
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

class KeptBack : public Conditions {
protected:
    void absence() {
        queue("absence:oracle:1");
        execute(
            "UPDATE alerts SET kind = 'absence', tx_hash = NULL; "
            "INSERT INTO timed_episodes (rule, began_at, version, alert_id) "
            "VALUES ('oracle', now(), 1, 'absence:oracle:1')");
    }
    void is_over() { execute("UPDATE timed_episodes SET ended_at = now() + interval '1 minute'"); }
    void silence(const std::string& kind) {
        execute("INSERT INTO silences (matcher, starts_at, ends_at, reason, author) VALUES (" +
                std::string(R"('{"kind":[")") + kind + R"("]}')" +
                ", now(), now() + interval '1 hour', 'r', 'a'); "
                "UPDATE alert_rule_state SET silences = silences + 1");
    }
    void end_silence() {
        execute("UPDATE silences SET ends_at = now(); UPDATE alert_rule_state SET silences = silences + 1");
    }
    std::string state() {
        return value("SELECT state FROM deliveries WHERE alert_id SIMILAR TO '(absence|stuck):%'");
    }
    void SetUp() override {
        Conditions::SetUp();
        if (!IsSkipped()) execute("INSERT INTO endpoints (name) VALUES ('ops')");
    }
};

TEST_F(KeptBack, BySilenceWhatStillHoldsIsToldOnceWhenThatEnds) {
    absence();
    silence("absence");
    EXPECT_THAT(take(), SizeIs(0));
    EXPECT_EQ(tend(), 0u) << "the silence lasts";
    EXPECT_EQ(state(), "silenced");
    end_silence();
    EXPECT_EQ(tend(), 1u);
    EXPECT_THAT(take(), ElementsAre("absence:oracle:1"));
    record(process(), delivered("absence:oracle:1"));
    EXPECT_EQ(tend(), 0u) << "once";
    is_over();
    EXPECT_EQ(tend(), 1u) << "whoever was told hears of the end";
}

TEST_F(KeptBack, BySilenceWhatIsOverByThenIsNotTold) {
    absence();
    queue("failed_receipt:R");
    silence("*");
    EXPECT_THAT(take(), SizeIs(0));
    is_over();
    end_silence();
    EXPECT_EQ(tend(), 0u);
    EXPECT_EQ(value("SELECT count(*) FROM deliveries WHERE state = 'silenced'"), "2") << "nor is any event";
}

TEST_F(KeptBack, ByASilenceThatAnotherOneFollowsIsStillSilent) {
    stuck(first);
    silence("stuck");
    EXPECT_THAT(take(), SizeIs(0));
    end_silence();
    silence("s*");
    EXPECT_EQ(tend(), 1u);
    EXPECT_THAT(take(), SizeIs(0));
    EXPECT_EQ(state(), "silenced");
    EXPECT_EQ(value("SELECT silence_id = (SELECT max(silence_id) FROM silences) FROM deliveries"), "t");
}

TEST_F(KeptBack, ByTheLimitOfAnHourIsToldInTheNext) {
    absence();
    room.storm.most_per_hour = 1;
    execute("INSERT INTO endpoint_load (endpoint, passed) VALUES ('ops', 1)");
    EXPECT_THAT(take(), SizeIs(0));
    EXPECT_EQ(state(), "withheld");
    EXPECT_EQ(tend(), 0u);
    execute(
        "UPDATE deliveries SET next_attempt_at = next_attempt_at - interval '1 hour' WHERE state = "
        "'withheld'; "
        "UPDATE endpoint_load SET hour = hour - interval '1 hour', withheld = 0");
    EXPECT_EQ(tend(), 1u);
    EXPECT_THAT(take(), testing::Contains("absence:oracle:1"));
}

TEST_F(KeptBack, ByAnEndpointThatWasGivenUpIsTriedAgainEachHourAndKeepsItsGroup) {
    absence();
    EXPECT_THAT(claim(), SizeIs(1));
    record(process(), given_up("absence:oracle:1"));
    EXPECT_EQ(tend(), 0u);
    execute("UPDATE deliveries SET next_attempt_at = now() - interval '2 hours'");
    EXPECT_EQ(tend(), 1u);
    EXPECT_THAT(claim(), ElementsAre("absence:oracle:1")) << "not counted in its own group";
    record(process(), delivered("absence:oracle:1"));
    is_over();
    EXPECT_EQ(tend(), 1u);
    EXPECT_THAT(take(), ElementsAre(testing::MatchesRegex("group-.*:resolved")));
}

TEST_F(KeptBack, ByAnEndpointThatIsSwitchedOffIsToldWhenItIsOnAgain) {
    absence();
    EXPECT_THAT(claim(), SizeIs(1));
    auto gone = given_up("absence:oracle:1");
    gone.endpoint_gone = true;
    record(process(), gone);
    EXPECT_EQ(tend(), 0u);
    execute("UPDATE endpoints SET active = true");
    EXPECT_EQ(tend(), 1u);
    EXPECT_THAT(take(), ElementsAre("absence:oracle:1"));
}

}  // namespace
}  // namespace receiptd::test
