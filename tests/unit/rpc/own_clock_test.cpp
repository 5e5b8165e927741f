#include "rpc/own_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::rpc {
namespace {

using testing::HasSubstr;

UpstreamState host(std::optional<int> clock_ahead) {
    UpstreamState state;
    if (clock_ahead) state.clock_ahead = std::chrono::seconds(*clock_ahead);
    return state;
}

std::string words(const std::vector<UpstreamState>& hosts, std::optional<double> ahead = std::nullopt) {
    OwnClock clock;
    clock.look(hosts, ahead);
    return clock.in_words();
}

TEST(OwnClock, IsWrongWhereAllHostsThatTellTheTimeSaySo) {
    EXPECT_THAT(words({host(-1'200), host(std::nullopt), host(-1'201)}),
                HasSubstr("is 1200 s behind the time"));
    EXPECT_THAT(words({host(61)}), HasSubstr("is 61 s ahead of the time"));
    EXPECT_EQ(words({host(60)}), "");
}

TEST(OwnClock, IsNotWrongBecauseOneHostOfSeveralSaysSo) {
    EXPECT_EQ(words({host(-1'200), host(2)}), "");
    EXPECT_EQ(words({host(-1'200), host(2)}, -1'200.0), "") << "the chain has a time of its own";
}

TEST(OwnClock, IsBehindBlocksThatLieAheadOfItWhereNoHostTellsTheTime) {
    EXPECT_THAT(words({host(std::nullopt)}, -700.0), HasSubstr("is 700 s behind"));
    EXPECT_EQ(words({}, 700.0), "") << "the chain may stand still";
    EXPECT_EQ(words({}), "");
}

TEST(OwnClock, IsRightAgainWhenItIsSet) {
    OwnClock clock;
    clock.look({host(1'200)}, std::nullopt);
    EXPECT_EQ(clock.seconds(), 1'200);
    clock.look({host(0)}, std::nullopt);
    EXPECT_EQ(clock.seconds(), 0);
    EXPECT_EQ(clock.in_words(), "");
}

}  // namespace
}  // namespace receiptd::rpc
