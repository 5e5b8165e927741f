#include "follow/state.hpp"

#include <gtest/gtest.h>

namespace receiptd::follow {
namespace {

using namespace std::chrono_literals;

TEST(NewKindsSeen, AreNamedForADay) {
    NewKindsSeen seen;
    const base::SteadyTime start{};
    EXPECT_EQ(seen.in_words(start), "");
    chain::NewKinds kinds;
    kinds.add("action", "teleport");
    seen.saw(kinds, start);
    kinds = {};
    kinds.add("error", "shard_on_fire");
    seen.saw(kinds, start + 20h);
    EXPECT_NE(seen.in_words(start + 21h).find("action teleport, error shard_on_fire"), std::string::npos);
    EXPECT_EQ(seen.in_words(start + 30h).find("teleport"), std::string::npos);
    EXPECT_EQ(seen.in_words(start + 45h), "");
}

TEST(NewKindsSeen, ThatHostsMakeUpWithoutEndAreAFew) {
    NewKindsSeen seen;
    for (unsigned i = 0; i < 10'000; ++i) {
        chain::NewKinds kinds;
        kinds.add("action", "made_up_" + std::to_string(i));
        seen.saw(kinds, {});
    }
    EXPECT_LT(seen.in_words({}).size(), 3'000U);
}

}  // namespace
}  // namespace receiptd::follow
