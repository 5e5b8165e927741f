#include "follow/rhythm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace receiptd::follow {
namespace {

using namespace std::chrono_literals;
using base::Duration;
using base::SteadyTime;

struct Played {
    double polls_per_block = 0;
    std::vector<Duration> delays;  // block there -> seen
    Duration percentile(double share) {
        std::sort(delays.begin(), delays.end());
        return delays[static_cast<std::size_t>(share * static_cast<double>(delays.size() - 1))];
    }
};

// Plays a chain that makes a block every `interval` +- `jitter` against a rhythm, on paper.
struct Joining {
    Duration after = 0ms;      // the first block
    std::size_t settled = 20;  // blocks
};
Played play(Duration interval, Duration jitter, unsigned blocks, Joining joining = {}) {
    std::mt19937_64 generator(7);
    std::uniform_int_distribution<Duration::rep> shift(-jitter.count(), jitter.count());
    std::vector<SteadyTime> made;
    for (unsigned i = 0; i < blocks; ++i)
        made.push_back(SteadyTime(1h) + interval * static_cast<int>(i) +
                       Duration(jitter.count() ? shift(generator) : 0));
    std::sort(made.begin(), made.end());

    HeadRhythm rhythm;
    Played played;
    auto now = made.front() + joining.after;
    std::size_t seen = 0;
    unsigned polls = 0;
    while (seen < made.size()) {
        ++polls;
        const auto there =
            static_cast<std::size_t>(std::upper_bound(made.begin(), made.end(), now) - made.begin());
        if (seen >= joining.settled)
            for (auto i = seen; i < there; ++i) played.delays.push_back(now - made[i]);
        seen = std::max(seen, there);
        rhythm.saw(1000 + seen, now);
        now = std::max(rhythm.next_poll(), now + 1ms);
    }
    played.polls_per_block = static_cast<double>(polls) / blocks;
    return played;
}

TEST(HeadRhythm, ASteadyChainIsSeenPromptlyWithFewRequests) {
    for (const Duration interval : {Duration(600ms), Duration(1000ms), Duration(1300ms)}) {
        auto played = play(interval, 0ms, 500);
        EXPECT_LE(played.polls_per_block, 3.0);
        EXPECT_LE(played.percentile(0.5), 40ms);
        EXPECT_LE(played.percentile(0.99), 100ms);
    }
}

TEST(HeadRhythm, WhoComesAtAnyMomentSeesBlocksPromptlyAfterTwo) {
    for (int late = 0; late < 600; late += 25) {
        auto played = play(600ms, 0ms, 60, {Duration(late * 1ms), 2});
        EXPECT_LE(played.percentile(1), 150ms) << late << " ms after a block";
        EXPECT_LE(played.percentile(0.9), 60ms) << late << " ms after a block";
        EXPECT_LE(played.polls_per_block, 3.2);
    }
}

TEST(HeadRhythm, AnUnsteadyChainStillCostsAtMostThreeRequestsABlock) {
    auto played = play(600ms, 120ms, 1000);
    EXPECT_LE(played.polls_per_block, 3.0);
    EXPECT_LE(played.percentile(0.99), 250ms);
}

TEST(HeadRhythm, AStandingChainIsAskedMoreRarely) {
    HeadRhythm rhythm;
    auto now = SteadyTime(1h);
    rhythm.saw(1, now);
    Duration last{};
    for (int i = 0; i < 20; ++i) {
        const auto next = rhythm.next_poll();
        last = next - now;
        now = next;
        rhythm.saw(1, now);
    }
    EXPECT_GE(last, 200ms);
    EXPECT_LE(last, 1s);
}

TEST(HeadRhythm, AFailedPollWaitsABlockTime) {
    HeadRhythm rhythm;
    rhythm.failed(SteadyTime(1h));
    EXPECT_EQ(rhythm.next_poll(), SteadyTime(1h) + 600ms);
}

// A host that tells every block that is there; questions to it.
Played play_once_a_block(Duration interval, Duration jitter, unsigned blocks) {
    std::mt19937_64 generator(7);
    std::uniform_int_distribution<Duration::rep> shift(-jitter.count(), jitter.count());
    BlockRhythm rhythm;
    Played played;
    auto now = SteadyTime(1h) + interval / 3;
    unsigned polls = 0, seen = 0;
    std::vector<SteadyTime> made;
    for (unsigned i = 0; i < blocks; ++i)
        made.push_back(SteadyTime(1h) + interval * static_cast<int>(i) + Duration(shift(generator)));
    std::sort(made.begin(), made.end());
    while (seen < blocks) {
        ++polls;
        const auto there =
            static_cast<unsigned>(std::upper_bound(made.begin(), made.end(), now) - made.begin());
        for (auto i = std::max(seen, 20u); i < there; ++i) played.delays.push_back(now - made[i]);
        if (there > seen)
            rhythm.saw(1000 + there, now);
        else
            rhythm.saw_nothing(now);
        seen = std::max(seen, there);
        now = std::max(rhythm.next_poll(), now + 1ms);
    }
    played.polls_per_block = static_cast<double>(polls) / blocks;
    return played;
}

TEST(BlockRhythm, AsksAboutOnceABlockAndSeesItWithinHalfOfItsTime) {
    for (const Duration interval : {Duration(200ms), Duration(600ms), Duration(1300ms)})
        for (const Duration jitter : {Duration(0), interval / 20, interval / 5}) {
            auto played = play_once_a_block(interval, jitter, 2'000);
            EXPECT_LE(played.polls_per_block, 1.1) << interval.count() << " " << jitter.count();
            EXPECT_LE(played.percentile(0.5), interval / 2) << interval.count() << " " << jitter.count();
            EXPECT_LE(played.percentile(0.95), interval) << interval.count() << " " << jitter.count();
        }
}

TEST(BlockRhythm, AsksSeldomWhileTheChainStandsStill) {
    BlockRhythm rhythm;
    auto now = SteadyTime(1h);
    unsigned polls = 0;
    for (; now < SteadyTime(1h) + 60s; now = rhythm.next_poll(), ++polls) rhythm.saw_nothing(now);
    EXPECT_LE(polls, 250u);
}

}  // namespace
}  // namespace receiptd::follow
