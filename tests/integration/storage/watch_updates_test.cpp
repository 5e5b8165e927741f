// News of watches is stored once, whoever learns it, and whatever happens meanwhile.
#include "metrics/registry.hpp"
#include "metrics/watch_series.hpp"
#include "watch_test_support.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <thread>

namespace receiptd::test {
namespace {

constexpr const char* kWatchEvents =
    "SELECT kind, tx_hash, body ->> 'from_stage', body ->> 'to_stage' FROM stream_events ORDER BY id";

class WatchUpdates : public WatchStoreTest {};

WatchUpdate ending(const std::string& tx_hash, Stage from, Stage to, chain::Text reason) {
    auto update = step_update(tx_hash, from, to);
    update.state.reason = reason;
    return update;
}

TEST_F(WatchUpdates, WriteTheRowTheTransitionsAndTheStream) {
    add({new_watch(1)});
    WatchUpdate update;
    update.tx_hash = hash_of(1);
    update.state.stage = Stage::executing;
    update.transitions.push_back({Stage::accepted, Stage::included, executed_at(101), "{}"});
    update.transitions.push_back({Stage::included, Stage::executing, executed_at(102), R"({"a":1})"});
    update.more_checks = 3;
    update.next_check_at = base::WallTime(std::chrono::seconds(1'666'137'777));
    update.objection = R"({"error_class":"not_enough_balance"})";
    EXPECT_TRUE(this->update(update).empty());
    const auto watch = await(watches().watch(hash_of(1)));
    EXPECT_EQ(watch->state.stage, Stage::executing);
    EXPECT_EQ(watch->evidence_json, R"({"a":1})");
    EXPECT_EQ(watch->checks, 3u);
    EXPECT_EQ(watch->transaction.objection, R"({"error_class":"not_enough_balance"})");
    EXPECT_EQ(watch->next_check_at, update.next_check_at);
    EXPECT_EQ(watch->stage_since, store().clock.now);
    const auto steps = await(watches().transitions(hash_of(1)));
    ASSERT_EQ(steps.size(), 2u);
    EXPECT_EQ(steps[0].transition.to, Stage::included);
    EXPECT_EQ(steps[0].transition.at, executed_at(101));
    EXPECT_EQ(steps[1].transition.from, Stage::included);
    EXPECT_EQ(steps[1].transition.evidence, R"({"a":1})");
    EXPECT_LT(steps[0].learned_at, steps[1].learned_at);
    EXPECT_EQ(rows(kWatchEvents), "transition|" + hash_of(1) + "|accepted|included\ntransition|" +
                                      hash_of(1) + "|included|executing\n");
    EXPECT_EQ(value("SELECT body ->> 'sender_id' FROM stream_events LIMIT 1"), "alice.near");
}

TEST_F(WatchUpdates, WithoutATransitionKeepWhatIsThere) {
    add({new_watch(1)});
    update(step_update(hash_of(1), Stage::accepted, Stage::pending));
    auto later = step_update(hash_of(1), Stage::pending, Stage::pending);
    later.objection = "{}";
    update(later);
    later.objection = "";
    update(later);
    const auto watch = await(watches().watch(hash_of(1)));
    EXPECT_EQ(watch->transaction.objection, "");
    EXPECT_EQ(watch->evidence_json, R"({"host":"a"})");
    EXPECT_EQ(value("SELECT count(*) FROM watch_transitions"), "1");
}

constexpr const char* kCertainties =
    "SELECT conclusive, safe_to_resign_after_height, safe_to_resign_estimated_at::text FROM ";

TEST_F(WatchUpdates, SayWhetherTheEndIsProvenAndWhenItMayBeSignedAnew) {
    auto watch = new_watch(1);
    watch.valid_until = 1000;
    add({watch});
    update(ending(hash_of(1), Stage::accepted, Stage::forwarding_failed, chain::reason::kNoRoute));
    EXPECT_EQ(rows(kCertainties + std::string("watches")), "f|1000|-\n");
    EXPECT_EQ(rows(kCertainties + std::string("watch_transitions")), "f|1000|-\n");
    EXPECT_EQ(rows(kCertainties + std::string("findings")), "f|1000|-\n");
    EXPECT_EQ(
        value("SELECT body ->> 'safe_to_resign_after_height' FROM stream_events WHERE kind = 'transition'"),
        "1000");
    add({new_watch(2)});
    update(ending(hash_of(2), Stage::accepted, Stage::dropped, chain::reason::kSuperseded));
    const auto second = " WHERE tx_hash = '" + hash_of(2) + "'";
    EXPECT_EQ(rows(kCertainties + ("findings" + second)), "t|0|-\n");
    EXPECT_EQ(value("SELECT body ->> 'conclusive' FROM stream_events" + second + " AND kind = 'finding'"),
              "true");
    const auto told = await(watches().transitions(hash_of(2)));
    ASSERT_EQ(told.size(), 1u);
    EXPECT_TRUE(told[0].certainty.conclusive);
    EXPECT_EQ(told[0].certainty.safe_to_resign_after_height, 0u);
}

TEST_F(WatchUpdates, CorrectAnEndThatTheChainTakesBack) {
    add({new_watch(1)});
    update(ending(hash_of(1), Stage::accepted, Stage::forwarding_failed, chain::reason::kNoRoute));
    auto included = step_update(hash_of(1), Stage::forwarding_failed, Stage::included);
    included.transitions[0].at = executed_at(101);
    included.alerts_sent_since = base::WallTime::max();  // however late it is learned
    update(included);
    EXPECT_EQ(rows("SELECT error_class, conclusive, correction -> 'told' ->> 'reason', "
                   "correction -> 'told' ->> 'finding_id', correction -> 'true' ->> 'included_height' "
                   "FROM findings WHERE kind = 'corrected'"),
              "forwarding_failed|t|no_route|forwarding_failed:" + hash_of(1) + "|101\n");
    EXPECT_EQ(value("SELECT count(*) FROM alerts WHERE kind = 'corrected'"), "1");
    EXPECT_EQ(
        value("SELECT count(*) FROM stream_events WHERE kind = 'finding' AND body ->> 'kind' = 'corrected'"),
        "1");
    EXPECT_EQ(value("SELECT count(*) FROM findings WHERE kind = 'forwarding_failed'"), "1") << "it stays";
}

TEST_F(WatchUpdates, EstimateThatTimeByTheRhythmOfTheChain) {
    rows("SELECT make_partitions('2022-10-18', '2022-10-19')");
    for (const char* block : {"100, '2022-10-18 10:00:00Z'", "160, '2022-10-18 10:01:00Z'"})
        rows(
            "INSERT INTO blocks (block_height, block_time, block_hash, prev_hash, timestamp_nanosec) "
            "SELECT " +
            std::string(block) + ", 'a', 'b', 0");
    auto watch = new_watch(1);
    watch.valid_until = 220;
    add({watch});
    EXPECT_EQ(rows(kCertainties + std::string("watches")), "f|220|2022-10-18 10:02:00+00\n");
    const auto read = await(watches().watch(hash_of(1)))->certainty.estimated_at;
    ASSERT_TRUE(read);
    EXPECT_EQ(read->time_since_epoch(), std::chrono::seconds(1'666'087'320));
    EXPECT_EQ(value("SELECT coalesce(estimated_time(9223372036854775807)::text, 'none')"), "none");
    EXPECT_EQ(value("SELECT coalesce(estimated_time(0)::text, 'none')"), "none");
}

TEST_F(WatchUpdates, CorrectTheSenderInTheStreamToo) {
    add({new_watch(1)});
    auto included = step_update(hash_of(1), Stage::accepted, Stage::included);
    included.sender_id = "signer.near";
    update(included);
    EXPECT_EQ(await(watches().watch(hash_of(1)))->sender_id, "signer.near");
    EXPECT_EQ(value("SELECT body ->> 'sender_id' FROM stream_events"), "signer.near");
    update(step_update(hash_of(1), Stage::included, Stage::executing));
    EXPECT_EQ(await(watches().watch(hash_of(1)))->sender_id, "signer.near");
}

TEST_F(WatchUpdates, OfAWatchThatMovedOrIsGoneWriteNothing) {
    add({new_watch(1), new_watch(2)});
    update(step_update(hash_of(1), Stage::accepted, Stage::included));
    std::vector<WatchUpdate> list;
    list.push_back(step_update(hash_of(1), Stage::accepted, Stage::pending));
    list.push_back(step_update(hash_of(2), Stage::accepted, Stage::pending));
    list.push_back(step_update(hash_of(2), Stage::pending, Stage::included));
    list.push_back(step_update(hash_of(3), Stage::accepted, Stage::pending));
    EXPECT_EQ(await(watches().update_watches(std::move(list))),
              (std::vector<std::string>{hash_of(1), hash_of(2), hash_of(3)}));
    EXPECT_EQ(rows("SELECT tx_hash, stage FROM watches ORDER BY 1"),
              hash_of(1) + "|included\n" + hash_of(2) + "|pending\n");
    EXPECT_EQ(value("SELECT count(*) FROM watch_transitions"), "2");
}

TEST_F(WatchUpdates, AreCountedAsFarAsTheyWereWritten) {
    metrics::Registry registry;
    metrics::WatchSeries series(registry);
    storage::PgWatchStore counting(store().database, store().clock, storage::WaitedFor::by_daemon, &series);
    const auto update = [&](WatchUpdate one) {
        std::vector<WatchUpdate> list;
        list.push_back(std::move(one));
        await(counting.update_watches(std::move(list)));
    };
    add({new_watch(1), new_watch(2)});
    update(ending(hash_of(1), Stage::accepted, Stage::rejected, "invalid_nonce"));
    update(ending(hash_of(1), Stage::accepted, Stage::dropped, "superseded"));  // it has moved
    auto stuck = step_update(hash_of(2), Stage::accepted, Stage::pending);
    stuck.stuck = true;
    update(stuck);
    stuck = step_update(hash_of(2), Stage::pending, Stage::pending);
    stuck.stuck = true;
    update(stuck);  // it is already
    const auto metrics = registry.serialize();
    for (const char* line : {"receiptd_watch_stages_total{stage=\"rejected\"} 1\n",
                             "receiptd_watch_stages_total{stage=\"dropped\"} 0\n",
                             "receiptd_watch_stages_total{stage=\"pending\"} 1\n",
                             "receiptd_findings_total{error_class=\"invalid_nonce\",kind=\"rejected\"} 1\n",
                             "receiptd_findings_total{error_class=\"stuck_pending\",kind=\"stuck\"} 1\n"})
        EXPECT_THAT(metrics, testing::HasSubstr(line));
}

TEST_F(WatchUpdates, OfTwoStoresThatRaceOneWinsEachWatch) {
    constexpr std::uint32_t kWatches = 300;
    std::vector<NewWatch> list;
    for (std::uint32_t i = 0; i < kWatches; ++i) list.push_back(new_watch(i));
    add(std::move(list));
    OpenStore second(database().url());
    storage::PgWatchStore other(second.database, second.clock);
    std::atomic<std::size_t> refused{0};
    const auto move_all = [&](storage::PgWatchStore& store, bool backwards) {
        std::vector<WatchUpdate> updates;
        for (std::uint32_t i = 0; i < kWatches; ++i)
            updates.push_back(
                step_update(hash_of(backwards ? kWatches - 1 - i : i), Stage::accepted, Stage::pending));
        refused += await(store.update_watches(std::move(updates))).size();
    };
    std::thread racer([&] { move_all(other, true); });
    move_all(watches(), false);
    racer.join();
    EXPECT_EQ(refused, kWatches);
    EXPECT_EQ(value("SELECT count(*) FROM watch_transitions"), std::to_string(kWatches));
    EXPECT_EQ(value("SELECT count(*) FROM stream_events"), std::to_string(kWatches));
}

TEST_F(WatchUpdates, AreWholeOrNotThereWhenConnectionsDie) {
    constexpr std::uint32_t kRounds = 20;
    add({new_watch(1)});
    KillerOfWriters killer(database().url());
    std::uint32_t rounds = 0;
    // Being stuck and not, so that the stage guards nothing and each round counts once or, in doubt, twice.
    for (; rounds < kRounds || killer.killed() < kRounds / 2; ++rounds) {
        killer.next_round();
        auto one = step_update(hash_of(1), Stage::accepted, Stage::accepted);
        one.stuck = rounds % 2 == 0;
        one.more_checks = 1;
        EXPECT_TRUE(update(one).empty());
    }
    killer.next_round();
    EXPECT_TRUE(update(step_update(hash_of(1), Stage::accepted, Stage::included)).size() <= 1);
    killer.end();
    EXPECT_GE(await(watches().watch(hash_of(1)))->checks, rounds);
    EXPECT_EQ(rows("SELECT w.stage, count(t.tx_hash), (SELECT count(*) FROM stream_events WHERE kind = "
                   "'transition') "
                   "FROM watches w LEFT JOIN watch_transitions t USING (tx_hash) GROUP BY w.stage"),
              "included|1|1\n");
    EXPECT_EQ(value("SELECT count(*) FROM findings"), "1");
}

TEST_F(WatchUpdates, AnAbnormalEndIsAFindingWithItsAlerts) {
    execute("INSERT INTO endpoints (name) VALUES ('ops'), ('left'); " + kAllTakeTheDefaultRule);
    execute("UPDATE endpoints SET served_at = now() - interval '5 days' WHERE name = 'left'");
    add({new_watch(1), new_watch(2), new_watch(3)});
    update(ending(hash_of(1), Stage::accepted, Stage::dropped, chain::reason::kSuperseded));
    auto seen_by_a_block = ending(hash_of(2), Stage::accepted, Stage::rejected, "InvalidNonce");
    seen_by_a_block.transitions[0].at = executed_at(103);
    update(seen_by_a_block);
    auto long_ago = ending(hash_of(3), Stage::accepted, Stage::expired, chain::reason::kExpired);
    long_ago.alerts_sent_since = base::WallTime::max();
    update(long_ago);
    EXPECT_EQ(rows("SELECT finding_id, kind, tx_hash, signer_id, error_class, block_height, block_time FROM "
                   "findings "
                   "ORDER BY tx_hash"),
              "dropped:" + hash_of(1) + "|dropped|" + hash_of(1) +
                  "|alice.near|superseded|-|2022-10-19 00:00:00+00\nrejected:" + hash_of(2) + "|rejected|" +
                  hash_of(2) + "|alice.near|InvalidNonce|103|2022-10-19 00:01:43+00\nexpired:" + hash_of(3) +
                  "|expired|" + hash_of(3) + "|alice.near|expired|-|2022-10-19 00:00:00+00\n");
    EXPECT_EQ(rows("SELECT alert_id, endpoint, withhold_late FROM deliveries ORDER BY created_at"),
              "dropped:" + hash_of(1) + "|ops|f\nrejected:" + hash_of(2) + "|ops|f\nexpired:" + hash_of(3) +
                  "|ops|t\n");
    EXPECT_EQ(value("SELECT count(*) FROM stream_events WHERE kind = 'finding'"), "3");
    EXPECT_EQ(value("SELECT reason FROM watches WHERE tx_hash = '" + hash_of(1) + "'"), "superseded");
}

TEST_F(WatchUpdates, BeingStuckIsToldOnceForEachStage) {
    execute("INSERT INTO endpoints (name) VALUES ('ops'); " + kAllTakeTheDefaultRule);
    add({new_watch(1)});
    const auto set_stuck = [this](Stage stage, bool stuck) {
        auto one = step_update(hash_of(1), stage, stage);
        one.stuck = stuck;
        update(one);
    };
    set_stuck(Stage::accepted, true);
    EXPECT_TRUE(await(watches().watch(hash_of(1)))->stuck);
    set_stuck(Stage::accepted, true);
    set_stuck(Stage::accepted, false);
    EXPECT_FALSE(await(watches().watch(hash_of(1)))->stuck);
    set_stuck(Stage::accepted, true);
    update(step_update(hash_of(1), Stage::accepted, Stage::included));
    EXPECT_FALSE(await(watches().watch(hash_of(1)))->stuck);
    set_stuck(Stage::included, true);
    EXPECT_EQ(rows("SELECT finding_id, kind, error_class FROM findings ORDER BY 1"),
              "stuck:" + hash_of(1) + ":accepted|stuck|stuck_accepted\nstuck:" + hash_of(1) +
                  ":included|stuck|stuck_included\n");
    EXPECT_EQ(value("SELECT count(*) FROM deliveries"), "2");
    EXPECT_EQ(value("SELECT count(*) FROM stuck_watches"), "1");
}

TEST_F(WatchUpdates, KeepWhateverAHostSays) {
    add({new_watch(1)});
    auto odd = ending(hash_of(1), Stage::accepted, Stage::forwarding_failed, chain::reason::kNoRoute);
    odd.transitions[0].evidence = R"({"detail":"\u0000 it's \"quoted\" \\ {1,2}"})";
    update(odd);
    EXPECT_EQ(value("SELECT evidence ->> 'raw' FROM watch_transitions"), odd.transitions[0].evidence);
    EXPECT_NE(value("SELECT error_text FROM findings"), "");
    add({new_watch(2)});
    odd = step_update(hash_of(2), Stage::accepted, Stage::pending);
    odd.transitions[0].evidence = "not JSON \xff";
    update(odd);
    EXPECT_EQ(await(watches().watch(hash_of(2)))->evidence_json, "{}");
}

TEST_F(WatchUpdates, CountNoFurtherThanTheColumnGoes) {
    execute("INSERT INTO watches (tx_hash, sender_id, checks, valid_until) VALUES ('" + hash_of(1) +
            "', 'alice.near', 2147483647, 1)");
    auto more = step_update(hash_of(1), Stage::accepted, Stage::pending);
    more.more_checks = 1;
    update(more);
    EXPECT_EQ(rows("SELECT stage, checks FROM watches"), "pending|2147483647\n");
}

TEST_F(WatchUpdates, EndTheOneWatchWhoseValuesAreRefused) {
    add({new_watch(1), new_watch(2), new_watch(3)});
    execute(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN "
        "RAISE EXCEPTION 'integer out of range' USING ERRCODE = '22003'; END$$; "
        "CREATE TRIGGER refuse BEFORE UPDATE ON watches FOR EACH ROW "
        "WHEN (NEW.tx_hash = '" +
        hash_of(2) + "' AND NEW.stage = 'pending') EXECUTE FUNCTION refuse()");
    std::vector<storage::WatchUpdate> updates;
    for (const std::uint32_t n : {1, 2, 3})
        updates.push_back(step_update(hash_of(n), Stage::accepted, Stage::pending));
    EXPECT_TRUE(await(watches().update_watches(updates)).empty());
    EXPECT_EQ(rows("SELECT stage, count(*), min(reason), min(evidence ->> 'sqlstate') FROM watches GROUP BY "
                   "1 ORDER BY 1"),
              "pending|2|-|-\nunknown|1|refused_by_database|22003\n");
    EXPECT_EQ(rows("SELECT kind, error_class FROM findings"), "unknown|refused_by_database\n");
}

TEST_F(WatchUpdates, MakeThePartitionThatAFindingNeeds) {
    add({new_watch(1)});
    auto old = ending(hash_of(1), Stage::accepted, Stage::rejected, "Expired");
    old.transitions[0].at = chain::ExecutedAt{7, (kFirstTime / 1'000'000'000 - 40 * 86'400) * 1'000'000'000};
    update(old);
    EXPECT_EQ(value("SELECT block_time::date FROM findings"), "2022-09-09");
}

TEST_F(WatchUpdates, WhatWasToldIsForgottenAfterAWhile) {
    execute(
        "INSERT INTO alerts (alert_id, kind, created_at) SELECT a, 'dropped', now() - age * interval '1 day' "
        "FROM "
        "(VALUES ('delivered', 31), ('dead', 31), ('pending', 31), ('told to nobody', 31), ('young', 29), "
        "('dead and retired', 31)) v (a, age);"
        "INSERT INTO endpoints (name) VALUES ('a'), ('b');"
        "INSERT INTO endpoints VALUES ('off', false, now() - interval '5 days', now());"
        "INSERT INTO deliveries (alert_id, endpoint, state) VALUES ('delivered', 'a', 'delivered'), ('dead', "
        "'a', "
        "'delivered'), ('dead', 'b', 'dead'), ('pending', 'a', 'pending'), ('young', 'a', 'delivered'), "
        "('dead and retired', 'off', 'dead');"
        "INSERT INTO stream_events (kind, body, at) SELECT 'finding', '{}', now() - n * interval '1 hour' "
        "FROM generate_series(0, 12000) n");
    await(store().maintain());
    EXPECT_EQ(rows("SELECT alert_id FROM alerts ORDER BY 1"), "dead\npending\nyoung\n");
    EXPECT_EQ(value("SELECT count(*) FROM deliveries"), "4");
    EXPECT_EQ(value("SELECT count(*) FROM stream_events"), "168");
}

TEST_F(WatchUpdates, WhatWaitsForAnEndpointThatStaysSwitchedOffOrUnservedComesToItsEnd) {
    execute(
        "INSERT INTO endpoints (name, active) VALUES ('on', true), ('off today', false);"
        "INSERT INTO endpoints VALUES ('off', false, now() - interval '5 days', now()), "
        "('left', true, now() - interval '9 days', now() - interval '5 days');"
        "INSERT INTO alerts (alert_id, kind) VALUES ('old', 'dropped'), ('new', 'dropped');"
        "INSERT INTO deliveries (alert_id, endpoint, created_at) SELECT 'old', name, now() - interval '5 "
        "days' "
        "FROM unnest(ARRAY['on', 'off today', 'off', 'left', 'nobody knows']) AS name;"
        "INSERT INTO deliveries (alert_id, endpoint) VALUES ('new', 'off')");
    await(store().maintain());
    EXPECT_EQ(rows("SELECT alert_id, endpoint, state FROM deliveries ORDER BY 1, 2"),
              "new|off|pending\nold|left|dead\nold|nobody knows|dead\nold|off|dead\nold|off today|pending\n"
              "old|on|pending\n");
    EXPECT_EQ(value("SELECT DISTINCT last_error LIKE '%switched off%' FROM deliveries WHERE state = 'dead'"),
              "t");
}

}  // namespace
}  // namespace receiptd::test
