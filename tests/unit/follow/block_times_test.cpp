#include "follow/block_times.hpp"

#include <gtest/gtest.h>

namespace receiptd::follow {
namespace {

using namespace std::chrono_literals;
using std::chrono::days;
using Word = rpc::Witness::Word;

constexpr base::WallTime kNow{days(20'000)};

chain::BlockRef block_at(base::Height height, base::WallTime time) {
    return {height, "hash", "parent", height - 1,
            static_cast<std::uint64_t>(time.time_since_epoch().count())};
}

TEST(DoubtOfTime, IsNoneAboveTheParentAndUpToADayAhead) {
    EXPECT_EQ(doubt_of_time(kNow + 1ns, kNow, kNow, kNow), "");
    EXPECT_EQ(doubt_of_time(kNow + days(1), kNow, kNow, kNow), "");
    EXPECT_EQ(doubt_of_time(kNow - days(900), std::nullopt, kNow, kNow), "") << "history, or a replay";
}

TEST(DoubtOfTime, SpeaksAgainstATimeThatIsNotAboveTheParents) {
    EXPECT_EQ(doubt_of_time(kNow, kNow, kNow, kNow), chain::trust::kTimeNotAfterParent);
    EXPECT_EQ(doubt_of_time(kNow - days(30), kNow, kNow, kNow), chain::trust::kTimeNotAfterParent);
}

TEST(DoubtOfTime, SpeaksAgainstATimeAheadOfTheAgreedBlockAndTheClock) {
    const auto ahead = kNow + days(1) + 1ns;
    EXPECT_EQ(doubt_of_time(ahead, kNow, kNow, kNow), chain::trust::kTimeAhead);
    EXPECT_EQ(doubt_of_time(ahead, kNow, kNow + days(3), kNow), "") << "the clock is behind";
    EXPECT_EQ(doubt_of_time(ahead, kNow, kNow - days(30), kNow + days(3)), "") << "the chain stood still";
}

TEST(BlockTimes, AreAgreedOnUpwards) {
    BlockTimes times;
    EXPECT_EQ(times.agreed(), base::WallTime());
    times.agree_on(block_at(100, kNow));
    times.agree_on(block_at(90, kNow + days(100)));
    EXPECT_EQ(times.agreed(), kNow) << "the higher block counts";
}

TEST(BlockTimes, LetDaysBeUpToAWeekAfterTheAgreedOne) {
    BlockTimes times;
    times.agree_on(block_at(100, kNow + 1h));
    const auto today = day_of(kNow);
    EXPECT_FALSE(times.is_near_agreed(today - 1));
    EXPECT_TRUE(times.is_near_agreed(today));
    EXPECT_TRUE(times.is_near_agreed(today + 7));
    EXPECT_FALSE(times.is_near_agreed(today + 8));
}

TEST(BlockTimes, HaveAMedianThatOneBlockDoesNotMove) {
    BlockTimes times;
    EXPECT_EQ(times.median_at(200), std::nullopt);
    for (base::Height height = 100; height < 130; ++height)
        times.stored(block_at(height, kNow + std::chrono::seconds(height)));
    EXPECT_EQ(times.median_at(99), std::nullopt);
    EXPECT_EQ(times.median_at(200), kNow + 124s) << "of the last eleven";
    EXPECT_EQ(times.median_at(120), kNow + 115s);
    for (base::Height height = 131; height < 136; ++height) times.stored(block_at(height, kNow - days(30)));
    EXPECT_GE(times.median_at(200), kNow);
    times.stored(block_at(136, kNow - days(30)));
    EXPECT_EQ(times.median_at(200), kNow - days(30)) << "six of eleven are no exception";
}

class ShownAlike : public ::testing::Test {
protected:
    void shows(base::WallTime time, chain::HeaderHash hash_is) {
        const auto part = std::to_string(time.time_since_epoch().count());
        witnesses_.push_back({"host", Word::has, block_at(100, time), "", hash_is, part});
    }
    std::optional<base::WallTime> time() const {
        const auto block = shown_alike(witnesses_, "hash");
        return block ? std::optional(time_of(*block)) : std::nullopt;
    }
    std::vector<rpc::Witness> witnesses_;
};

TEST_F(ShownAlike, IsWhatTheHashFollowsFrom) {
    shows(kNow - days(30), chain::HeaderHash::different);
    shows(kNow - days(30), chain::HeaderHash::different);
    shows(kNow, chain::HeaderHash::equal);
    EXPECT_EQ(time(), kNow);
}

TEST_F(ShownAlike, IsWhatTwoShow) {
    shows(kNow - days(30), chain::HeaderHash::unknown_form);
    shows(kNow, chain::HeaderHash::unknown_form);
    EXPECT_EQ(time(), std::nullopt) << "they differ";
    shows(kNow, chain::HeaderHash::unknown_form);
    EXPECT_EQ(time(), kNow);
}

TEST_F(ShownAlike, IsWhatTheOnlyOneShows) {
    witnesses_.push_back({"host", Word::unable, std::nullopt});
    EXPECT_EQ(time(), std::nullopt);
    shows(kNow, chain::HeaderHash::unknown_form);
    EXPECT_EQ(time(), kNow);
}

}  // namespace
}  // namespace receiptd::follow
