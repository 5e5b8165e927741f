#include "api/status.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace receiptd::api {
namespace {

std::string detail_of(const DaemonStatus& status, const std::string& reason) {
    for (const auto& found : unreadiness(status))
        if (found.reason == reason) return found.detail;
    return "ready";
}

TEST(Readiness, AShardThatNoUpstreamTracksIsNamed) {
    DaemonStatus status;
    EXPECT_EQ(detail_of(status, "shards"), "ready");
    status.untracked_shards = {3};
    EXPECT_EQ(detail_of(status, "shards"),
              "no upstream tracks shard 3: their chunks, outcomes and accounts cannot be had");
    status.untracked_shards = {0, 3};
    EXPECT_EQ(detail_of(status, "shards"),
              "no upstream tracks shards 0, 3: their chunks, outcomes and accounts cannot be had");
}

TEST(Readiness, WhatTheDatabaseRefusesIsToldThoughNoSessionIsLeftThatAnswers) {
    DaemonStatus status;
    EXPECT_EQ(detail_of(status, "database"), "no connection to the database");
    status.database_bad_setup = "a function is missing";
    EXPECT_EQ(detail_of(status, "database"),
              "the database refuses work until this is put right: a function is missing");
    status.database_connected = true;
    EXPECT_EQ(detail_of(status, "database"),
              "the database refuses work until this is put right: a function is missing");
    status.database_bad_setup.clear();
    EXPECT_EQ(detail_of(status, "database"), "ready");
}

TEST(Readiness, TreesThatStayPendingAreToldWithTheOldestAndItsLastFault) {
    DaemonStatus status;
    status.pending_trees = 7;
    EXPECT_EQ(detail_of(status, "trees"), "ready");
    status.overdue_trees = {2, "F8XzLX87", "", 654.3};
    EXPECT_EQ(
        detail_of(status, "trees"),
        "2 trees should be complete by now; that of transaction F8XzLX87 has been pending for 654 s, answers "
        "are incomplete");
    status.overdue_trees.oldest_fault = "http_503: busy";
    EXPECT_TRUE(detail_of(status, "trees").ends_with("654 s, last fault: http_503: busy"));
}

TEST(Readiness, AClockThatHasJumpedIsToldAndAChainWithATimeOfItsOwnIsNot) {
    DaemonStatus status;
    status.clock_ahead_seconds = 3e7;
    EXPECT_EQ(detail_of(status, "clock"), "ready");
    status.clock_jumped_seconds = -700;
    status.clock_ahead_seconds = -699.0;
    EXPECT_EQ(detail_of(status, "clock"),
              "the clock of this machine has jumped: it is -699 s ahead of the newest block");
    status.clock_ahead_seconds = 2.0;
    EXPECT_EQ(detail_of(status, "clock"), "ready") << "it was asleep";
    status.clock_ahead_seconds.reset();
    EXPECT_EQ(detail_of(status, "clock"), "ready");
}

TEST(Readiness, AClockThatHostsContradictIsNoted) {
    DaemonStatus status;
    EXPECT_TRUE(notes(status).empty());
    status.clock_off = "the clock of this machine is 1200 s behind";
    ASSERT_EQ(notes(status).size(), 1u);
    EXPECT_EQ(notes(status)[0].reason, "clock");
    EXPECT_EQ(notes(status)[0].detail, status.clock_off);
    EXPECT_EQ(detail_of(status, "clock"), "ready") << "it stores and sends";
}

TEST(Readiness, WhatThisVersionDoesNotKnowOfTheChainIsNoted) {
    DaemonStatus status;
    status.new_kinds = "the chain has what this version does not know: action teleport";
    ASSERT_EQ(notes(status).size(), 1u);
    EXPECT_EQ(notes(status)[0].reason, "new_kinds");
    EXPECT_EQ(notes(status)[0].detail, status.new_kinds);
}

TEST(Readiness, AHeadBelowTheStoredTipIsAReason) {
    DaemonStatus status;
    status.head = BlockView{1'000, "", ""};
    status.committed = BlockView{1'010, "", ""};
    EXPECT_EQ(detail_of(status, "head_below_tip"), "ready") << "hosts lag behind one another";
    status.committed->height = 1'800;
    EXPECT_EQ(detail_of(status, "head_below_tip"),
              "the head that is told, 1000, is below the stored block 1800: another network, or one that was "
              "started anew");
}

UpstreamView upstream(const std::string& name, const std::string& network, bool is_usable) {
    UpstreamView upstream;
    upstream.name = name;
    upstream.network = network;
    upstream.network_detail = "is of network \"mainnet\"";
    upstream.is_usable = is_usable;
    return upstream;
}

TEST(Readiness, AHostOfAnotherNetworkIsANoteAndAReasonIfThereIsNoOther) {
    DaemonStatus status;
    status.upstreams = {upstream("main", "proven", true), upstream("old", "other_network", false)};
    EXPECT_EQ(detail_of(status, "upstreams"), "ready");
    ASSERT_EQ(notes(status).size(), 1u);
    EXPECT_EQ(notes(status)[0].detail, "old is of network \"mainnet\"");
    status.upstreams[0] = upstream("main", "unproven", false);
    status.upstreams[0].refused = true;
    EXPECT_EQ(
        detail_of(status, "upstreams"),
        "no upstream can be used: main refuses our requests (401 or 403); old is of network \"mainnet\"");
}

TEST(Readiness, CreditsThatAreUsedUpAreAReasonIfNobodyElseAnswers) {
    DaemonStatus status;
    status.upstreams = {upstream("main", "proven", true), upstream("other", "proven", true)};
    status.upstreams[0].is_unpaid = true;
    EXPECT_EQ(detail_of(status, "upstreams"), "ready");
    status.upstreams[1] = upstream("other", "other_network", false);
    EXPECT_EQ(
        detail_of(status, "upstreams"),
        "no upstream can be used: main wants to be paid (402, payment_required): the credits of its plan "
        "are used up; other is of network \"mainnet\"");
}

TEST(Readiness, AHeadThatStandsStillNamesTheHostsThatWantToBePaid) {
    DaemonStatus status;
    status.head.emplace();
    status.head_seen_seconds_ago = 61;
    status.upstreams = {upstream("main", "proven", true), upstream("silent", "proven", true)};
    EXPECT_EQ(detail_of(status, "head_stale"), "the head has not advanced for 61 s");
    status.upstreams[0].is_unpaid = true;
    EXPECT_EQ(
        detail_of(status, "head_stale"),
        "the head has not advanced for 61 s; main wants to be paid (402, payment_required): the credits "
        "of its plan are used up");
    EXPECT_EQ(detail_of(status, "upstreams"), "ready");
}

TEST(Readiness, AHostTakenOnTrustIsANote) {
    DaemonStatus status;
    status.upstreams = {upstream("neardata", "on_trust", true)};
    EXPECT_EQ(detail_of(status, "upstreams"), "ready");
    EXPECT_EQ(notes(status).size(), 1u);
}

TEST(Readiness, WhatIsSetAsideAndAlertsThatAreNotTriedAreNotes) {
    DaemonStatus status;
    status.upstreams = {upstream("main", "proven", true)};
    status.set_aside = {{"late_tree", 2}, {"watch", 1}};
    status.not_tried = {{"ops", 3}};
    EXPECT_EQ(detail_of(status, "set_aside"), "ready");
    const auto found = notes(status);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].reason, "set_aside");
    EXPECT_EQ(found[0].detail,
              "not dealt with because of their own data: 2 late_tree, 1 watch; see the view set_aside");
    EXPECT_EQ(found[1].reason, "deliveries");
    EXPECT_EQ(found[1].detail, "due for five minutes without an attempt, by endpoint: 3 ops");
}

}  // namespace
}  // namespace receiptd::api
