// Timed rules: how far is counted, when a condition holds, and when its episodes begin and end.
#include "rule/timed.hpp"

#include "rule/anchor.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace receiptd::rule {
namespace {

using namespace std::chrono_literals;
using Is = Judgement::Is;

base::WallTime at(std::chrono::seconds since_start) {
    return base::WallTime(std::chrono::seconds(1'700'000'000)) + since_start;
}

const Absence kThreeInTenMinutes{3, 10min};

TEST(Counting, BeginsAWindowBelowTheEnd) {
    EXPECT_EQ(go_on(10min, {at(0s), at(3600s)}, std::nullopt), (Counting{{at(3000s), at(3000s)}, true}));
}

TEST(Counting, BeginsWhereKnowledgeBeginsIfThatIsLater) {
    EXPECT_EQ(go_on(10min, {at(3500s), at(3600s)}, std::nullopt), (Counting{{at(3500s), at(3500s)}, true}));
}

TEST(Counting, GoesOnWhereItWas) {
    EXPECT_EQ(go_on(10min, {at(0s), at(3600s)}, CountedTime{at(100s), at(3540s)}),
              (Counting{{at(100s), at(3540s)}, false}));
}

TEST(Counting, BeginsAnewWhereLessIsKnownThanBefore) {
    EXPECT_EQ(go_on(10min, {at(0s), at(3600s)}, CountedTime{at(100s), at(3700s)}),
              (Counting{{at(3000s), at(3000s)}, true}));
}

TEST(Counting, BeginsAnewAboveAGap) {
    EXPECT_EQ(go_on(10min, {at(3200s), at(3600s)}, CountedTime{at(100s), at(3100s)}),
              (Counting{{at(3200s), at(3200s)}, true}));
}

TEST(Counting, GoesOnAfterADowntimeOfAnHourEvenIfItsWindowIsShorter) {
    EXPECT_EQ(go_on(10min, {at(0s), at(7200s)}, CountedTime{at(100s), at(3600s)}),
              (Counting{{at(100s), at(3600s)}, false}));
    EXPECT_EQ(go_on(10min, {at(0s), at(7201s)}, CountedTime{at(100s), at(3600s)}),
              (Counting{{at(6601s), at(6601s)}, true}));
}

TEST(Counting, BeginsAnewOnceTheHistoryOfItsWindowIsThere) {
    const CountedTime counted{at(3200s), at(3600s)};
    EXPECT_FALSE(go_on(10min, {at(3100s), at(3600s)}, counted).anew) << "not all of it";
    EXPECT_EQ(go_on(10min, {at(3000s), at(3600s)}, counted), (Counting{{at(3000s), at(3000s)}, true}));
}

TEST(Counting, BeginsLaterForAnAccountThatWasAddedLater) {
    EXPECT_EQ(go_on(10min, {at(3300s), at(3600s)}, CountedTime{at(100s), at(3500s)}),
              (Counting{{at(3300s), at(3500s)}, false}));
}

TEST(Counting, OfADatabaseThatWentBackBeginsAnew) {
    EXPECT_EQ(go_on(10min, {at(0s), at(100s)}, CountedTime{at(200s), at(3600s)}),
              (Counting{{at(0s), at(0s)}, true}));
}

TEST(Absence, HoldsOnceTheDecisiveSuccessIsAWindowOld) {
    const auto judged = [](std::chrono::seconds now) {
        return judge(kThreeInTenMinutes, {{at(0s), at(now)}, at(1000s)}, 0s);
    };
    EXPECT_EQ(judged(1599s).is, Is::holds_not);
    EXPECT_EQ(judged(1600s), (Judgement{Is::holds, at(1600s)}));
    EXPECT_EQ(judged(9999s), (Judgement{Is::holds, at(1600s)})) << "whenever it is looked at";
}

TEST(Absence, OfTooFewSuccessesHoldsOnceAWholeWindowWasCounted) {
    EXPECT_EQ(judge(kThreeInTenMinutes, {{at(0s), at(599s)}, std::nullopt}, 0s).is, Is::unknown);
    EXPECT_EQ(judge(kThreeInTenMinutes, {{at(0s), at(600s)}, std::nullopt}, 0s),
              (Judgement{Is::holds, at(600s)}));
}

TEST(Absence, IsKnownNotToHoldEvenIfLessThanAWindowWasCounted) {
    EXPECT_EQ(judge(kThreeInTenMinutes, {{at(0s), at(60s)}, at(10s)}, 0s).is, Is::holds_not);
}

TEST(Absence, DoesNotGrowWhileTheChainStandsStill) {
    const Successes successes{{at(0s), at(5000s)}, at(1000s)};
    EXPECT_EQ(judge(kThreeInTenMinutes, successes, 3401s).is, Is::holds_not);
    EXPECT_EQ(judge(kThreeInTenMinutes, successes, 3400s), (Judgement{Is::holds, at(5000s)}));
}

std::vector<std::chrono::milliseconds> times(std::size_t quick, std::size_t slow) {
    std::vector<std::chrono::milliseconds> sorted(quick, 1s);
    sorted.insert(sorted.end(), slow, 60s);
    return sorted;
}

TEST(Absence, CountsOnlyReceiptsOfTheseReceivers) {
    const auto receivers = [](const std::string& condition) {
        const auto rule = parse(R"({"name":"r","kind":"absence","for":"10m",)" + condition + "}");
        return rule ? receivers_of(*rule->condition) : std::vector<std::string>{"refused"};
    };
    using Names = std::vector<std::string>;
    EXPECT_EQ(receivers(R"("receiver":["a.near","b.near"],"method":"m")"), (Names{"a.near", "b.near"}));
    EXPECT_EQ(receivers(R"("method":"m","all":[{"receiver":"a.near"}])"), Names{"a.near"});
    for (const auto* any : {R"("account":"a.near")", R"("receiver":["a.near","*.b.near"])",
                            R"("receiver":["a.near","@list"])", R"("not":{"receiver":"a.near"})",
                            R"("any":[{"receiver":"a.near"},{"method":"m"}])", R"("signer":"a.near")"})
        EXPECT_EQ(receivers(any), Names{}) << any;
}

TEST(Latency, IsThePercentileByNearestRank) {
    std::vector<std::chrono::milliseconds> hundred(100);
    std::iota(hundred.begin(), hundred.end(), 1ms);
    EXPECT_EQ(percentile(hundred, 95), 95ms);
    EXPECT_EQ(percentile(hundred, 100), 100ms);
    EXPECT_EQ(percentile(hundred, 1), 1ms);
    EXPECT_EQ(percentile(hundred, 99.5), 100ms);
    EXPECT_EQ(percentile(std::span(hundred).first(1), 95), 1ms);
}

TEST(Latency, HoldsIfThePercentileIsOverTheBound) {
    const Latency rule{95, 30s, 10min};
    EXPECT_EQ(judge(rule, times(95, 5), at(0s)).is, Is::holds_not);
    EXPECT_EQ(judge(rule, times(94, 6), at(7s)), (Judgement{Is::holds, at(7s)}));
}

TEST(Latency, NeedsTwentySamples) {
    const Latency rule{95, 30s, 10min};
    EXPECT_EQ(judge(rule, times(0, 19), at(0s)).is, Is::unknown);
    EXPECT_EQ(judge(rule, times(0, 20), at(0s)).is, Is::holds);
    EXPECT_EQ(judge(rule, times(19, 0), at(0s)).is, Is::holds_not) << "none of them is slow";
    EXPECT_EQ(judge(rule, {}, at(0s)).is, Is::holds_not);
}

TEST(Episode, BeginsOnceAndEndsOnce) {
    EXPECT_EQ(turn(false, {Is::holds, at(0s)}), Turn::begins);
    EXPECT_EQ(turn(true, {Is::holds, at(0s)}), Turn::none);
    EXPECT_EQ(turn(true, {Is::holds_not, {}}), Turn::ends);
    EXPECT_EQ(turn(false, {Is::holds_not, {}}), Turn::none);
}

TEST(Episode, StaysAsItIsWhileNothingIsKnown) {
    EXPECT_EQ(turn(true, {}), Turn::none);
    EXPECT_EQ(turn(false, {}), Turn::none);
}

// However often, and at whatever times, the leaders look: the episodes are those of the true successes.
TEST(Episode, OfAnAbsenceBeginsAtTheSameTimeWhoeverLooksAndWhenever) {
    std::mt19937 chance(7);
    for (int round = 0; round < 200; ++round) {
        std::vector<base::WallTime> successes;
        for (auto time = 0s; time < 6h; time += std::chrono::seconds(1 + chance() % 900))
            successes.push_back(at(time));
        std::optional<base::WallTime> open;
        for (auto now = 700s; now < 6h; now += std::chrono::seconds(1 + chance() % 300)) {
            const auto end = std::upper_bound(successes.begin(), successes.end(), at(now));
            const Successes seen{{at(0s), at(now)},
                                 end - successes.begin() >= 3 ? std::optional(*(end - 3)) : std::nullopt};
            const auto judged = judge(kThreeInTenMinutes, seen, 0s);
            const auto within = std::count_if(successes.begin(), end, [&](base::WallTime time) {
                return time > at(now) - kThreeInTenMinutes.within;
            });
            ASSERT_EQ(judged.is == Is::holds, within < 3);
            const auto step = turn(open.has_value(), judged);
            if (step == Turn::begins && seen.decisive) {
                EXPECT_EQ(judged.since, *seen.decisive + 10min);
            }
            if (step == Turn::begins) open = judged.since;
            if (step == Turn::ends) open.reset();
            ASSERT_EQ(open.has_value(), judged.is == Is::holds);
        }
    }
}

}  // namespace
}  // namespace receiptd::rule
