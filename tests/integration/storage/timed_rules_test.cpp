// Absences are judged on what is stored: told once, by whichever daemon leads, and never on a guess.
#include "timed_test_support.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <random>
#include <utility>

namespace receiptd::test {
namespace {

using ::testing::HasSubstr;

const std::string kToldAt220 = "rule:calls:2022-10-19T00:03:40.000000Z|team\n";

TEST_F(TimedRulesTest, AnAbsenceIsToldOnceWithItsNumbers) {
    declare({kAbsentCalls});
    follow(1, 230, {50, 100});
    EXPECT_EQ(judged(200), TimedState::quiet);
    EXPECT_EQ(told(), "");
    EXPECT_EQ(judged(230), TimedState::alert);
    EXPECT_EQ(judged(230), TimedState::alert);
    EXPECT_EQ(told(), kToldAt220);
    EXPECT_EQ(episodes(), "calls|03:40|open\n");
    const auto cause = value("SELECT cause FROM alerts");
    for (const auto* part :
         {R"("rule":"calls")", R"("since":"2022-10-19T00:03:40.000000Z")", R"("window_seconds":120)",
          R"("at_least":1)", R"("successes":0)", R"("tx_hash":"T100")", R"("receipt_id":"R100")"})
        EXPECT_THAT(cause, HasSubstr(part));
    EXPECT_EQ(value("SELECT rules FROM deliveries"), "{calls@1}");
    EXPECT_EQ(value("SELECT kind FROM alerts"), "absence");
}

TEST_F(TimedRulesTest, AnEpisodeEndsWithTheNextSuccessAndAnotherIsToldAnew) {
    declare({kAbsentCalls});
    episode_since_220();
    follow(231, 300, {240});
    EXPECT_EQ(judged(300), TimedState::quiet);
    EXPECT_EQ(episodes(), "calls|03:40|05:00\n");
    follow(301, 400);
    EXPECT_EQ(judged(400), TimedState::alert);
    EXPECT_EQ(told(), kToldAt220 + "rule:calls:2022-10-19T00:06:00.000000Z|team\n");
    EXPECT_EQ(episodes(), "calls|03:40|05:00\ncalls|06:00|open\n");
}

TEST_F(TimedRulesTest, TheNextLeaderGoesOnWithTheEpisode) {
    declare({kAbsentCalls});
    episode_since_220();
    const auto next = take_lease(second());
    follow(231, 300);
    EXPECT_FALSE(evaluate(300)) << "another one leads";
    EXPECT_TRUE(evaluate(300, &second(), next));
    EXPECT_EQ(told(), kToldAt220);
    EXPECT_EQ(value("SELECT to_char(counted_until, 'MI:SS') FROM timed_rules"), "05:00");
}

TEST_F(TimedRulesTest, RulesOfEveryDaemonCount) {
    auto others = kAbsentCalls;
    others.replace(others.find("calls"), 5, "other");
    declare({kAbsentCalls});
    declare({others}, &second());
    episode_since_220();
    EXPECT_EQ(told(), kToldAt220 + "rule:other:2022-10-19T00:03:40.000000Z|other\n");
}

TEST_F(TimedRulesTest, ARuleThatNoEndpointTakesIsNotJudged) {
    declare({kAbsentCalls});
    execute("DELETE FROM endpoint_rules");
    follow(1, 230);
    EXPECT_TRUE(evaluate(230)->rules.empty());
    EXPECT_EQ(value("SELECT count(*) FROM alerts"), "0");
}

TEST_F(TimedRulesTest, LessThanAWindowOfHistoryTellsNothing) {
    declare({kAbsentCalls});
    follow(1, 100);
    EXPECT_EQ(judged(100), TimedState::history);
    follow(101, 122);
    EXPECT_EQ(judged(122), TimedState::alert);
}

TEST_F(TimedRulesTest, NothingIsJudgedOverAGap) {
    declare({kAbsentCalls});
    follow(1, 222, {60}, {105});
    EXPECT_EQ(judged(222), TimedState::history) << "the block that is missing may have a success";
    follow(105, 105, {105});
    EXPECT_EQ(judged(222), TimedState::quiet);
    EXPECT_EQ(told(), "");
}

TEST_F(TimedRulesTest, WhereAnOperatorHasSkippedHeightsTheStateSaysSo) {
    declare({kAbsentCalls, kSlowPayouts});
    follow(1, 222, {60}, {105, 106});
    execute("INSERT INTO operator_skips (heights) VALUES ('{[105,107)}')");
    EXPECT_EQ(evaluate(222)->rules, (std::map<TimedState, std::uint64_t>{{TimedState::skipped, 2}}));
    EXPECT_EQ(value("SELECT DISTINCT state FROM timed_rules"), "skipped");
    execute("UPDATE coverage SET wanted = wanted + '{[105,107)}'");
    EXPECT_EQ(evaluate(222)->rules, (std::map<TimedState, std::uint64_t>{{TimedState::history, 2}}))
        << "a backfill fetches them";
    execute("UPDATE coverage SET wanted = wanted - '{[105,107)}'");
    follow(223, 230);
    EXPECT_EQ(evaluate(230)->rules,
              (std::map<TimedState, std::uint64_t>{{TimedState::alert, 1}, {TimedState::skipped, 1}}))
        << "one window lies above them";
}

TEST_F(TimedRulesTest, NothingIsJudgedWhereTheNewestBlocksAreMissing) {
    declare({kAbsentCalls});
    follow(1, 150);
    commit(block_batch(400));
    execute("UPDATE coverage SET heights = heights - '{[400,401)}'");
    EXPECT_EQ(judged(400), TimedState::gap);
}

TEST_F(TimedRulesTest, NoSuccessIsMissedThatComesWithALateTree) {
    declare({kAbsentCalls});
    follow(1, 230, {60});
    execute(
        "INSERT INTO pending_trees (tx_hash, sender_id, block_height, block_hash, block_time, "
        "timestamp_nanosec) VALUES ('T150', 'a.near', 150, 'hash150', " +
        sql_time(150) + ", 0)");
    EXPECT_EQ(judged(230), TimedState::quiet) << "as of 149";
    execute("UPDATE pending_trees SET block_time = " + sql_time(200));
    EXPECT_EQ(judged(230), TimedState::alert) << "as of 199";
    EXPECT_EQ(episodes(), "calls|03:00|open\n");
}

TEST_F(TimedRulesTest, NothingIsJudgedWhileTreesAreFarBehind) {
    declare({kAbsentCalls});
    follow(1, 900, {60});
    execute(
        "INSERT INTO pending_trees (tx_hash, sender_id, block_height, block_hash, block_time, "
        "timestamp_nanosec) SELECT 'T' || block_height, 'a.near', block_height, block_hash, block_time, 0 "
        "FROM blocks WHERE block_height > 70 AND block_height % 100 = 0");
    EXPECT_EQ(judged(900), TimedState::trees);
    EXPECT_EQ(told(), "");
}

TEST_F(TimedRulesTest, ALateTreeIsCountedThoughLaterBlocksWere) {
    declare({kAbsentCalls});
    follow(1, 130, {60});
    EXPECT_EQ(judged(130), TimedState::quiet);
    execute(
        "INSERT INTO pending_trees (tx_hash, sender_id, block_height, block_hash, block_time, "
        "timestamp_nanosec) VALUES ('T100', 'a.near', 100, 'hash100', " +
        sql_time(100) + ", 0)");
    EXPECT_EQ(judged(130), TimedState::quiet);
    execute("DELETE FROM pending_trees; UPDATE receipts SET block_height = 101, block_time = " +
            sql_time(101));
    follow(131, 200);
    EXPECT_EQ(judged(200), TimedState::quiet);
    EXPECT_EQ(value("SELECT max(block_height) FROM timed_successes"), "101");
}

TEST_F(TimedRulesTest, ABlockThatIsRemovedCountsNoMore) {
    declare({kAbsentCalls});
    follow(1, 130, {60, 120});
    EXPECT_EQ(judged(130), TimedState::quiet);
    await(store().blocks.remove_block(120));
    follow(120, 120);
    follow(131, 200);
    EXPECT_EQ(judged(200), TimedState::alert);
    EXPECT_EQ(episodes(), "calls|03:20|open\n") << "the success at 60 is older than what is counted anew";
}

TEST_F(TimedRulesTest, AChainThatStandsStillIsNoAbsence) {
    declare({kAbsentCalls});
    follow(1, 150, {100});
    evaluate(150);
    follow(220, 280);
    execute("UPDATE coverage SET heights = '{[1,281)}', wanted = '{[1,281)}'");
    EXPECT_EQ(judged(280), TimedState::quiet) << "110 seconds of blocks";
    follow(281, 300);
    EXPECT_EQ(judged(300), TimedState::alert);
    EXPECT_EQ(episodes(), "calls|04:50|open\n") << "120 seconds of blocks";
}

TEST_F(TimedRulesTest, AnEditedOrRenamedRuleIsNotToldAgainInAnEpisode) {
    declare({kAbsentCalls});
    episode_since_220();
    declare({R"({"name":"calls","kind":"absence","receiver":"shop.near","for":"1m"})"});
    EXPECT_EQ(judged(230), TimedState::alert);
    declare({R"({"name":"renamed","kind":"absence","receiver":"shop.near","for":"1m"})"});
    execute("UPDATE timed_episodes SET version = 2");
    EXPECT_EQ(judged(230), TimedState::alert);
    EXPECT_EQ(told(), kToldAt220);
    EXPECT_EQ(episodes(), "renamed|03:40|open\n");
}

TEST_F(TimedRulesTest, TheEpisodeOfARuleThatIsGoneEnds) {
    declare({kAbsentCalls});
    episode_since_220();
    declare({kSlowPayouts});
    evaluate(230);
    EXPECT_EQ(episodes(), "calls|03:40|03:50\n");
    EXPECT_EQ(value("SELECT count(*) FROM timed_successes"), "0");
}

TEST_F(TimedRulesTest, AnAccountThatWasAddedLaterIsJudgedOnceItsWindowIsComplete) {
    declare({kAbsentCalls});
    follow(1, 230);
    execute("INSERT INTO followed_accounts VALUES ('shop.near', 150, 1, '{[1,150)}')");
    EXPECT_EQ(judged(230), TimedState::history);
    follow(231, 280);
    EXPECT_EQ(judged(280), TimedState::alert);
}

TEST_F(TimedRulesTest, NothingIsConcludedFromHeightsThatLackAnAccount) {
    declare({kAbsentCalls});
    follow(1, 230);
    execute("INSERT INTO followed_accounts VALUES ('shop.near', 150, 1, '{[1,1350)}')");
    EXPECT_EQ(judged(230), TimedState::gap) << "trees that it touched below may go on";
    execute("UPDATE followed_accounts SET not_whole = '{}'");
    EXPECT_EQ(judged(230), TimedState::alert) << "it was filled";
}

TEST_F(TimedRulesTest, WhereNoReceiptsAreStoredNoneIsMissing) {
    declare({kAbsentCalls});
    execute("UPDATE chain_identity SET scope = 'headers'");
    follow(1, 230);
    EXPECT_EQ(judged(230), TimedState::history);
}

TEST_F(TimedRulesTest, OnlyAThousandRulesAreJudged) {
    std::vector<std::string> rules;
    for (int i = 0; i <= 1000; ++i) {
        auto rule = kAbsentCalls;
        rules.push_back(rule.replace(rule.find("calls"), 5, "calls-" + std::to_string(i)));
    }
    declare(rules);
    follow(1, 130);
    EXPECT_EQ(evaluate(130)->rules,
              (std::map<TimedState, std::uint64_t>{{TimedState::alert, 1000}, {TimedState::too_many, 1}}));
}

// However often is looked, and whatever comes late: episodes are those of the receipts.
TEST_F(TimedRulesTest, CountsAreThoseOfTheReceipts) {
    declare({R"({"name":"three","kind":"absence","receiver":"shop.near","at_least":3,"for":"1m"})",
             R"({"name":"any","kind":"absence","account":"*","at_least":2,"for":"1m"})"});
    std::mt19937 chance(11);
    for (base::Height height = 1; height < 600;) {
        const auto until = std::min<base::Height>(height + 5 + chance() % 40, 600);
        std::set<base::Height> successes;
        const auto rarely = 5 + chance() % 40;
        for (auto at = height; at <= until; ++at)
            if (chance() % rarely == 0) successes.insert(at);
        follow(height, until, successes);
        height = until + 1;
        evaluate(until);
        if (until < 65) continue;
        for (const auto& [name, at_least] : {std::pair{"three", "3"}, std::pair{"any", "2"}})
            EXPECT_EQ(
                value(std::string("SELECT count(*) FROM timed_episodes WHERE ended_at IS NULL AND rule = '") +
                      name + "'"),
                value(std::string("SELECT (count(*) < ") + at_least +
                      ")::int FROM receipts WHERE block_time > " + sql_time(until) +
                      " - interval '1 minute'"))
                << name << " at " << until;
    }
    EXPECT_GT(std::stoi(value("SELECT count(*) FROM timed_episodes")), 5);
    EXPECT_EQ(
        value(
            "SELECT bool_and(a.caused_at = e.began_at) FROM timed_episodes e JOIN alerts a USING (alert_id)"),
        "t");
}

}  // namespace
}  // namespace receiptd::test
