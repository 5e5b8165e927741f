#include "rpc/choose.hpp"
#include "rpc/health.hpp"
#include "rpc/host_memory.hpp"

#include <gtest/gtest.h>

namespace receiptd::rpc {
namespace {

using namespace std::chrono_literals;

constexpr base::SteadyTime kNow{1h};

Verdict verdict(ErrorClass error_class) {
    Verdict made;
    made.error_class = error_class;
    made.reason = to_string(error_class);
    return made;
}

Health after_faults(unsigned count) {
    Health health;
    for (unsigned i = 0; i < count; ++i)
        health = next(health, verdict(ErrorClass::endpoint_fault), kNow, 0.0);
    return health;
}

TEST(Health, FallsWithFaultsAndRecoversWithAnswers) {
    auto health = after_faults(1);
    EXPECT_LT(health.score, 1.0);
    EXPECT_EQ(health.not_before, base::SteadyTime{});  // one fault does not stop a host
    const auto low = health.score;
    health = next(health, verdict(ErrorClass::ok), kNow, 0.0);
    EXPECT_GT(health.score, low);
    EXPECT_EQ(health.faults_in_a_row, 0u);
}

TEST(Health, FaultsInARowOpenTheCircuitForLongerEachTime) {
    const auto third = after_faults(3);
    const auto fourth = after_faults(4);
    EXPECT_EQ(circuit(after_faults(2), kNow), Circuit::closed);
    EXPECT_EQ(circuit(third, kNow), Circuit::open);
    EXPECT_EQ(third.not_before - kNow, base::Duration(500ms));
    EXPECT_EQ(fourth.not_before - kNow, base::Duration(1s));
    EXPECT_EQ(circuit(third, third.not_before), Circuit::half_open);
    EXPECT_EQ(circuit(next(third, verdict(ErrorClass::ok), third.not_before, 0.0), third.not_before),
              Circuit::closed);
}

TEST(Health, AnAnswerAboutTheChainIsAHealthyOne) {
    auto health = after_faults(3);
    health = next(health, verdict(ErrorClass::chain_state), kNow, 0.0);
    EXPECT_EQ(health.faults_in_a_row, 0u);
}

TEST(Health, OneAnswerKeepsUsAwayForAMinuteAndSeveralInARowForLonger) {
    for (const auto error_class : {ErrorClass::rate_limited, ErrorClass::endpoint_fault}) {
        auto told = verdict(error_class);
        told.retry_after = 1h;
        Health health;
        for (const auto wait : {1min, 2min, 4min, 8min, 16min, 16min}) {
            health.not_before = {};
            health = next(health, told, kNow, 0.0);
            EXPECT_EQ(health.not_before - kNow, base::Duration(wait)) << to_string(error_class);
        }
    }
}

TEST(Health, WaitsAtLeastAsLongAsTheHostSays) {
    auto limited = verdict(ErrorClass::rate_limited);
    limited.retry_after = 20s;
    EXPECT_GE(next({}, limited, kNow, 0.0).not_before, kNow + 20s);
    EXPECT_GE(next({}, limited, kNow, 0.99).not_before, kNow + 20s);
    limited.retry_after.reset();
    auto health = next({}, limited, kNow, 0.0);
    EXPECT_EQ(health.not_before, kNow + 500ms);
    health = next(health, limited, kNow, 0.0);
    EXPECT_EQ(health.not_before, kNow + 1s);
}

TEST(Health, AHostThatRefusesUsIsPutAsideEverLongerAndProbed) {
    auto refused = verdict(ErrorClass::endpoint_fault);
    refused.unauthorized = true;
    auto health = next({}, refused, kNow, 0.0);
    EXPECT_EQ(health.not_before, kNow + 5s);
    EXPECT_EQ(next(health, refused, kNow, 0.0).refusals_in_a_row, 1u) << "they ran side by side";
    EXPECT_EQ(circuit(health, kNow + 5s), Circuit::half_open);
    health = next(health, refused, kNow + 5s, 0.0);
    EXPECT_EQ(health.not_before, kNow + 35s);
    for (int i = 0; i < 10; ++i) health = next(health, refused, health.not_before, 0.0);
    EXPECT_EQ(next(health, refused, health.not_before, 0.0).not_before, health.not_before + 15min);
    EXPECT_EQ(circuit(next(health, verdict(ErrorClass::ok), health.not_before, 0.0), kNow), Circuit::closed);
}

TEST(Horizon, IsLearnedFromWhatAHostLacksFarBelowTheHead) {
    HostMemory memory;
    memory.holds(10'000);
    memory.lacks(500, 10'000);
    EXPECT_TRUE(memory.below_horizon(500));
    EXPECT_TRUE(memory.below_horizon(499));
    EXPECT_FALSE(memory.below_horizon(501));
    EXPECT_EQ(memory.horizon(), 10'000u);
    memory.holds(501);
    EXPECT_EQ(memory.horizon(), 501u);
}

TEST(Horizon, LagNearTheHeadTeachesNothing) {
    HostMemory memory;
    memory.lacks(9'995, 10'000);
    EXPECT_FALSE(memory.below_horizon(9'995));
    EXPECT_EQ(memory.horizon(), std::nullopt);
}

TEST(Horizon, AHoleAboveWhatItHoldsIsNoHorizonUntilItIsSeenAgain) {
    HostMemory memory;
    memory.holds(400);
    memory.lacks(500, 10'000);
    EXPECT_FALSE(memory.below_horizon(500));
    memory.lacks(501, 10'000);  // the retention moved on meanwhile
    EXPECT_TRUE(memory.below_horizon(501));
}

TEST(Horizon, GivesWayToAnAnswerFromBelowIt) {
    HostMemory memory;
    memory.lacks(500, 10'000);
    memory.holds(300);
    EXPECT_FALSE(memory.below_horizon(300));
    EXPECT_TRUE(memory.below_horizon(299));
}

TEST(Horizon, AHostThatSaysCollectedIsBelievedAtOnce) {
    HostMemory memory;
    memory.collected(9'999);
    EXPECT_TRUE(memory.below_horizon(9'999));
    EXPECT_EQ(memory.horizon(), 10'000u);
}

TEST(Horizon, IsWhatTheHostSaysOfItsEarliestBlock) {
    HostMemory memory;
    memory.reaches_back_to(0);
    EXPECT_EQ(memory.horizon(), std::nullopt) << "it holds everything";
    memory.reaches_back_to(5'000);
    EXPECT_TRUE(memory.below_horizon(4'999));
    EXPECT_FALSE(memory.below_horizon(5'000));
}

TEST(Methods, AMissingOneIsTriedAgainAfterTenMinutes) {
    HostMemory memory;
    memory.mark_unsupported("EXPERIMENTAL_tx_status", kNow);
    EXPECT_FALSE(memory.supports("EXPERIMENTAL_tx_status", kNow + 9min));
    EXPECT_TRUE(memory.supports("tx", kNow));
    EXPECT_TRUE(memory.supports("EXPERIMENTAL_tx_status", kNow + 10min));
}

TEST(Methods, AreAllTriedAgainByAHostThatRunsAnotherVersion) {
    HostMemory memory;
    memory.mark_unsupported("tx_status", kNow);
    memory.runs("2.12.0");
    memory.runs("2.12.0");
    EXPECT_FALSE(memory.supports("tx_status", kNow)) << "it is the version that lacked it";
    memory.runs("2.14.0");
    EXPECT_TRUE(memory.supports("tx_status", kNow));
    memory.mark_unsupported("EXPERIMENTAL_tx_status", kNow);
    memory.runs("2.12.0");
    EXPECT_TRUE(memory.supports("EXPERIMENTAL_tx_status", kNow)) << "downgraded";
    EXPECT_TRUE(memory.unsupported(kNow).empty());
}

HostView view(HostKind kind) {
    HostView made;
    made.kind = kind;
    return made;
}

TEST(Choosing, ARegularHostGoesBeforeAnArchivalOne) {
    EXPECT_EQ(choose({view(HostKind::archival), view(HostKind::regular)}), 1u);
}

TEST(Choosing, AnArchivalHostServesWhatTheRegularOnesNoLongerHold) {
    auto regular = view(HostKind::regular);
    regular.below_horizon = true;
    EXPECT_EQ(choose({regular, view(HostKind::archival)}), 1u);
    EXPECT_EQ(choose({regular}), 0u);  // nobody else: it may have been wrong
}

TEST(Choosing, AnArchivalHostHelpsOutWhileTheRegularOnesAreBlockedForLong) {
    auto regular = view(HostKind::regular);
    regular.wait = 1s;
    EXPECT_EQ(choose({regular, view(HostKind::archival)}), 0u);
    regular.wait = 30s;
    EXPECT_EQ(choose({regular, view(HostKind::archival)}), 1u);
}

TEST(Choosing, GoesByHealthAndFreeSlotsAmongEquals) {
    auto ill = view(HostKind::regular);
    ill.health = 0.3;
    EXPECT_EQ(choose({ill, view(HostKind::regular)}), 1u);
    auto busy = view(HostKind::regular);
    busy.load = 1.0;
    EXPECT_EQ(choose({busy, view(HostKind::regular)}), 1u);
}

TEST(Choosing, PrefersTheHostThatServedTheBlockUntilItFails) {
    auto served = view(HostKind::archival);
    served.first = true;
    EXPECT_EQ(choose({view(HostKind::regular), served}), 1u);
    served.tries = 1;
    EXPECT_EQ(choose({view(HostKind::regular), served}), 0u);
}

TEST(Choosing, NobodyIsAskedTwiceForWhatHeDoesNotKnow) {
    auto absent = view(HostKind::regular);
    absent.absent = true;
    auto unfit = view(HostKind::archival);
    unfit.usable = false;
    EXPECT_EQ(choose({absent, unfit}), std::nullopt);
}

}  // namespace
}  // namespace receiptd::rpc
