#include "dispatcher_fixture.hpp"
#include "faulty.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::alert {
namespace {

using namespace std::chrono_literals;
using namespace alert::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(DispatcherTest, WhatIsDueIsPostedWithItsIdAndRecorded) {
    store_.add("failed_receipt:r1", "ops");
    store_.add("failed_receipt:r1", "lab");
    settle();
    ASSERT_EQ(sender_.posted.size(), 2U);
    EXPECT_EQ(sender_.posted[0].id, "failed_receipt:r1");
    EXPECT_THAT(sender_.posted[0].body, HasSubstr("\"type\":\"finding.failed_receipt\""));
    EXPECT_EQ(store_.count("delivered"), 2U);
    EXPECT_THAT(metrics(), HasSubstr("receiptd_deliveries_total{endpoint=\"ops\",outcome=\"delivered\"} 1"));
}

TEST_F(DispatcherTest, TheBodyIsMadeOnceAndKeptThroughAllAttempts) {
    answer("ops", 500);
    answer("ops", 500);
    store_.add("failed_receipt:r1", "ops");
    settle();
    EXPECT_FALSE(store_.payloads["failed_receipt:r1"].empty());
    settle_after(5s);
    settle_after(5min);
    ASSERT_EQ(sender_.posted.size(), 3U);
    EXPECT_EQ(sender_.posted[2].body, sender_.posted[0].body);
    EXPECT_EQ(sender_.posted[2].body, store_.payloads["failed_receipt:r1"]);
    EXPECT_EQ(store_.findings_read, 1U);
}

TEST_F(DispatcherTest, TheFirstAttemptSaysOfOutcomesWhatTheNextOnesSay) {
    store_.confirmed_when_kept = false;
    store_.add("failed_receipt:r1", "ops");
    settle();
    ASSERT_EQ(sender_.posted.size(), 1U);
    EXPECT_THAT(sender_.posted[0].body, HasSubstr("\"confirmed\":false"));
}

TEST_F(DispatcherTest, AFailureIsTriedAgainByTheScheduleUntilItIsDead) {
    for (int i = 0; i < 10; ++i) answer("ops", 400);
    store_.add("failed_receipt:r1", "ops");
    settle();
    std::size_t posts = 1;
    for (const auto wait : {5s + 0s, 300s + 0s, 1'800s + 0s, 7'200s + 0s, 18'000s + 0s, 36'000s + 0s,
                            50'400s + 0s, 72'000s + 0s, 86'400s + 0s}) {
        settle_after(wait - 1s);
        EXPECT_EQ(sender_.posted.size(), posts) << wait.count();
        settle_after(1s);
        EXPECT_EQ(sender_.posted.size(), ++posts) << wait.count();
    }
    EXPECT_EQ(store_.of("failed_receipt:r1", "ops").state, "dead");
    settle_after(1'000h);
    EXPECT_EQ(sender_.posted.size(), 10U);
    EXPECT_THAT(metrics(), HasSubstr("receiptd_deliveries_total{endpoint=\"ops\",outcome=\"failed\"} 9"));
    EXPECT_THAT(metrics(), HasSubstr("receiptd_deliveries_total{endpoint=\"ops\",outcome=\"dead\"} 1"));
}

// Another process may have sent it since, and the end of its group behind it.
TEST_F(DispatcherTest, WhatIsOfAGroupIsNotSentWhenItsLeaseCouldEndMeanwhile) {
    store_.add("failed_receipt:r1", "ops");
    store_.add("failed_receipt:r2", "lab");
    store_.deliveries.at({"failed_receipt:r1", "ops"}).due.group_name = "group-3f";
    store_.on_causes = [this] { clock_.passed += kToRecord + 1s; };  // as of a process that stood still
    settle();
    EXPECT_EQ(sender_.posts("ops"), 0u);
    EXPECT_EQ(sender_.posts("lab"), 1u) << "where no order counts, twice is better than late";
    settle_after(dispatcher_.lease());
    EXPECT_EQ(sender_.posts("ops"), 1u);
    EXPECT_EQ(store_.of("failed_receipt:r1", "ops").state, "delivered");
}

TEST_F(DispatcherTest, ASlowEndpointHoldsUpItselfOnly) {
    sender_.held.insert("ops");
    for (int i = 0; i < 100; ++i) {
        store_.add("failed_receipt:r" + std::to_string(i), "ops");
        store_.add("failed_receipt:r" + std::to_string(i), "lab");
    }
    settle();
    EXPECT_EQ(store_.count("delivered", "lab"), 100U);
    EXPECT_EQ(store_.count("delivered", "ops"), 0U);
    EXPECT_EQ(sender_.posts("ops"), kAttemptsAtOnce);
    sender_.release("ops");
    settle();
    EXPECT_EQ(store_.count("delivered", "ops"), 100U);
    EXPECT_EQ(sender_.most_running["ops"], kAttemptsAtOnce);
}

TEST_F(DispatcherTest, GoneSwitchesTheEndpointOffAndLeavesTheOthers) {
    answer("ops", 410);
    store_.add("failed_receipt:r1", "ops");
    settle();
    store_.add("failed_receipt:r2", "ops");
    store_.add("failed_receipt:r2", "lab");
    settle();
    EXPECT_EQ(sender_.posts("ops"), 1U);
    EXPECT_EQ(sender_.posts("lab"), 1U);
    EXPECT_THAT(store_.gone, ElementsAre("ops"));
    EXPECT_EQ(store_.of("failed_receipt:r1", "ops").state, "dead");
    EXPECT_EQ(store_.of("failed_receipt:r2", "ops").state, "pending");
}

TEST_F(DispatcherTest, AnEndpointThatIsSwitchedOnAgainIsSentTo) {
    answer("ops", 410);
    store_.add("failed_receipt:r1", "ops");
    settle();
    store_.add("failed_receipt:r2", "ops");
    settle();
    store_.gone.clear();  // whoever did it
    settle();
    EXPECT_EQ(store_.of("failed_receipt:r2", "ops").state, "delivered");
}

TEST_F(DispatcherTest, RetryAfterOfAnOverloadedEndpointHoldsBackTheRestToo) {
    answer("ops", 429, 60s);
    store_.add("failed_receipt:r1", "ops");
    settle();
    store_.add("failed_receipt:r2", "ops");
    settle_after(59s);
    EXPECT_EQ(sender_.posts("ops"), 1U);
    settle_after(1s);
    EXPECT_EQ(sender_.posts("ops"), 3U);
    EXPECT_EQ(store_.count("delivered"), 2U);
}

TEST_F(DispatcherTest, TooManyRequestsCostNoAttempt) {
    answer("ops", 429, 24h);
    store_.add("failed_receipt:r1", "ops");
    settle();
    EXPECT_EQ(store_.of("failed_receipt:r1", "ops").due.attempts, 0U);
    settle_after(15min);
    EXPECT_EQ(store_.of("failed_receipt:r1", "ops").state, "delivered");
}

TEST_F(DispatcherTest, AReloadChangesTheScheduleOfAnEndpointAndItsStormSettings) {
    auto changed = endpoints({"ops", "lab"});
    changed[0].retry = {1s};
    changed[0].most_per_hour = 7;
    group_.spawn(dispatcher_.reload(changed));
    for (int i = 0; i < 2; ++i) answer("ops", 500);
    store_.add("failed_receipt:r1", "ops");
    settle();
    settle_after(1s);
    EXPECT_EQ(store_.of("failed_receipt:r1", "ops").state, "dead");
    settle_after(1s);
    ASSERT_EQ(store_.tended.size(), 2U);
    EXPECT_EQ(store_.tended[1].settings.most_per_hour, 7U);
}

TEST_F(DispatcherTest, AnEndpointAtItsPaceIsLeftAloneUntilItMayHaveMore) {
    store_.pauses = {{"ops", 200ms}};
    settle();
    store_.add("failed_receipt:r1", "ops");
    store_.add("failed_receipt:r1", "lab");
    settle_after(199ms);
    EXPECT_EQ(sender_.posts("ops"), 0U);
    EXPECT_EQ(sender_.posts("lab"), 1U);
    settle_after(1ms);
    EXPECT_EQ(sender_.posts("ops"), 1U);
}

TEST_F(DispatcherTest, StormsOfAllEndpointsAreTendedOnceASecond) {
    settle();
    EXPECT_EQ(store_.tended.size(), 2U);
    store_.tended.clear();
    settle_after(999ms);
    EXPECT_TRUE(store_.tended.empty());
    settle_after(1ms);
    EXPECT_EQ(store_.tended.size(), 2U);
}

TEST_F(DispatcherTest, WhatAClaimKeptBackIsCountedAndTheQueueIsAskedAgainAtOnce) {
    store_.not_sent = {{"ops", "silenced", 3}};
    settle();
    EXPECT_GE(store_.claims, 2U);
    EXPECT_THAT(registry_.serialize(),
                HasSubstr("receiptd_alerts_not_sent_total{endpoint=\"ops\",fate=\"silenced\"} 3"));
}

TEST_F(DispatcherTest, AClaimThatIsNotRecordedIsTakenAgainAfterItsLease) {
    sender_.held.insert("ops");
    store_.add("failed_receipt:r1", "ops");
    settle();
    group_.cancel();  // the daemon dies
    settle();
    sender_.release("ops");
    Dispatcher next(
        io_.get_executor(), cpu_, endpoints({"ops"}), store_, sender_, series_, clock_, [] { return 0.0; },
        Site{});
    group_.spawn(next.run());
    settle();
    EXPECT_EQ(store_.count("delivered"), 0U);
    clock_.passed += next.lease();
    next.wake();
    settle();
    EXPECT_EQ(store_.count("delivered"), 1U);
    ASSERT_EQ(sender_.posted.size(), 2U);
    EXPECT_EQ(sender_.posted[0].id, sender_.posted[1].id);
    EXPECT_EQ(sender_.posted[0].body, sender_.posted[1].body);
    group_.cancel();
    settle();
}

TEST_F(DispatcherTest, ADatabaseThatFailsIsAskedAgain) {
    test::Steps steps(1, test::Fault::before);
    FaultyDeliveries faulty(store_, steps);
    Dispatcher next(
        io_.get_executor(), cpu_, endpoints({"ops"}), faulty, sender_, series_, clock_, [] { return 0.0; },
        Site{});
    group_.cancel();
    settle();
    group_.spawn(next.run());
    settle();
    EXPECT_TRUE(steps.failed());
    store_.add("failed_receipt:r1", "ops");
    next.wake();
    settle();
    EXPECT_EQ(store_.count("delivered"), 1U);
    group_.cancel();
    settle();
}

TEST_F(DispatcherTest, AnAttemptThatBreaksDownLeavesItsDeliveryToTheLeaseAndItsSeatToOthers) {
    sender_.broken = true;
    for (unsigned i = 0; i < kAttemptsAtOnce; ++i) store_.add("failed_receipt:r" + std::to_string(i), "ops");
    settle();
    EXPECT_EQ(sender_.posts("ops"), kAttemptsAtOnce);
    sender_.broken = false;
    store_.add("failed_receipt:next", "ops");
    settle();
    EXPECT_EQ(store_.of("failed_receipt:next", "ops").state, "delivered");
    settle_after(dispatcher_.lease());
    EXPECT_EQ(store_.count("delivered"), kAttemptsAtOnce + 1);
}

TEST_F(DispatcherTest, StoppedItTakesNothingNewAndEndsWithWhatIsUnderWay) {
    sender_.held.insert("ops");
    store_.add("failed_receipt:r1", "ops");
    settle();
    dispatcher_.stop();
    store_.add("failed_receipt:r2", "lab");
    settle();
    EXPECT_EQ(group_.running(), 1U);
    sender_.release("ops");
    settle();
    EXPECT_EQ(group_.running(), 0U);
    EXPECT_EQ(store_.of("failed_receipt:r1", "ops").state, "delivered");
    EXPECT_EQ(sender_.posts("lab"), 0U);
}

TEST_F(DispatcherTest, KeepsItsEndpointsServedAndShowsTheBacklog) {
    group_.spawn(dispatcher_.begin_serving());
    storage::DeliveryBacklog backlog;
    backlog.endpoint = "ops";
    backlog.pending = 3;
    backlog.dead = 2;
    backlog.oldest_pending = 90s;
    store_.backlog.push_back(backlog);
    group_.spawn(dispatcher_.report());
    settle();
    EXPECT_THAT(store_.served, ElementsAre("ops", "lab"));
    EXPECT_THAT(store_.serving, ElementsAre(storage::Serving::begins, storage::Serving::goes_on));
    const auto text = metrics();
    EXPECT_THAT(text, HasSubstr("receiptd_deliveries_pending{endpoint=\"ops\"} 3"));
    EXPECT_THAT(text, HasSubstr("receiptd_deliveries_dead{endpoint=\"ops\"} 2"));
    EXPECT_THAT(text, HasSubstr("receiptd_deliveries_oldest_pending_seconds{endpoint=\"ops\"} 90"));
    EXPECT_THAT(text, HasSubstr("receiptd_deliveries_pending{endpoint=\"lab\"} 0"));
}

TEST_F(DispatcherTest, TheOutboxIsWhatItsOwnEndpointsHaveNotTaken) {
    EXPECT_FALSE(dispatcher_.outbox());
    for (const char* name : {"ops", "lab", "not configured any more"}) {
        storage::DeliveryBacklog backlog;
        backlog.endpoint = name;
        backlog.pending = 3;
        backlog.dead = 1;
        backlog.oldest_pending = backlog.endpoint == "lab" ? 90s : 10s;
        store_.backlog.push_back(backlog);
    }
    group_.spawn(dispatcher_.report());
    settle();
    ASSERT_TRUE(dispatcher_.outbox());
    EXPECT_EQ(dispatcher_.outbox()->pending, 6U);
    EXPECT_EQ(dispatcher_.outbox()->dead, 2U);
    EXPECT_EQ(dispatcher_.outbox()->oldest_pending, 90s);
}

TEST_F(DispatcherTest, AlertsThatAreDueWithoutAnAttemptAreToldUnlessSomethingHoldsThemBack) {
    for (const char* name : {"ops", "lab"}) {
        storage::DeliveryBacklog backlog;
        backlog.endpoint = name;
        backlog.pending = backlog.not_tried = 3;
        store_.backlog.push_back(backlog);
    }
    group_.spawn(dispatcher_.report());
    settle();
    EXPECT_TRUE(dispatcher_.outbox()->not_tried.empty()) << "it has not served them for five minutes";
    clock_.passed += 5min;
    answer("lab", 503, 60s);
    store_.add("failed_receipt:r1", "lab");
    dispatcher_.wake();
    settle();
    group_.spawn(dispatcher_.report());
    settle();
    EXPECT_EQ(dispatcher_.outbox()->not_tried, (std::map<std::string, std::uint64_t>{{"ops", 3}}));
    EXPECT_THAT(metrics(), HasSubstr("receiptd_deliveries_not_tried{endpoint=\"ops\"} 3"));
    EXPECT_THAT(metrics(), HasSubstr("receiptd_deliveries_not_tried{endpoint=\"lab\"} 0"));
}

TEST_F(DispatcherTest, WhatIsSentAnewIsNoFirstAttempt) {
    store_.add("failed_receipt:r1", "ops");
    store_.deliveries.begin()->second.due.tried = true;
    settle();
    EXPECT_EQ(store_.count("delivered"), 1U);
    EXPECT_THAT(metrics(), HasSubstr("receiptd_delivery_first_attempt_seconds_count{endpoint=\"ops\"} 0"));
}

TEST_F(DispatcherTest, AnIdleQueueIsNotAskedInALoop) {
    settle();
    const auto before = store_.claims;
    io_.restart();
    io_.poll();
    io_.poll();
    EXPECT_LE(store_.claims, before + 1);
}

}  // namespace
}  // namespace receiptd::alert
