// Where blocks of one source go on above blocks of the other.
#include "follow/seams.hpp"
#include "fakes.hpp"

#include <gmock/gmock.h>

namespace receiptd::follow {
namespace {

using base::Height;
using base::HeightRange;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::MemoryStore;

constexpr Height kFar = 2 * chain::kSeamReach;

storage::Coverage stored(std::initializer_list<HeightRange> whole,
                         std::initializer_list<HeightRange> others) {
    storage::Coverage coverage;
    for (const auto& range : whole) coverage.covered.add(range);
    for (const auto& range : others) {
        coverage.covered.add(range);
        coverage.without_outcomes.add(range);
    }
    return coverage;
}

TEST(OutcomesEnd, BelowTheFirstBlockWithoutThem) {
    const auto coverage = stored({{100, 199}}, {{200, 299}});
    EXPECT_THAT(outcomes_end_at(coverage, {100, 199}), ElementsAre(200));
    EXPECT_THAT(outcomes_end_at(coverage, {200, 299}), ElementsAre(200));
    EXPECT_THAT(outcomes_end_at(coverage, {150, 160}), ElementsAre(200));
}

TEST(OutcomesEnd, NowhereWhereTheyBegin) {
    EXPECT_THAT(outcomes_end_at(stored({{200, 299}}, {{100, 199}}), {100, 299}), IsEmpty());
}

TEST(OutcomesEnd, NowhereInHeightsOfOneSource) {
    EXPECT_THAT(outcomes_end_at(stored({{100, 299}}, {}), {200, 210}), IsEmpty());
    EXPECT_THAT(outcomes_end_at(stored({}, {{100, 299}}), {200, 210}), IsEmpty());
}

TEST(OutcomesEnd, OnBothSidesOfARepairedGap) {
    const auto coverage = stored({{100, 149}, {160, 169}}, {{150, 159}, {170, 199}});
    EXPECT_THAT(outcomes_end_at(coverage, {160, 169}), ElementsAre(150, 170));
}

TEST(OutcomesEnd, AcrossAGapThatNobodyFills) {
    EXPECT_THAT(outcomes_end_at(stored({{100, 149}}, {{160, 199}}), {160, 199}), ElementsAre(160));
}

TEST(OutcomesEnd, OnlyWhereATreeMayReach) {
    const auto near = stored({{100, 100}}, {{100 + chain::kSeamReach, kFar}});
    EXPECT_THAT(outcomes_end_at(near, {100, 100}), ElementsAre(100 + chain::kSeamReach));
    EXPECT_THAT(outcomes_end_at(near, {kFar, kFar}), ElementsAre(100 + chain::kSeamReach));
    EXPECT_THAT(outcomes_end_at(near, {kFar + 101, kFar + 200}), IsEmpty()) << "another stretch sees to it";
    EXPECT_THAT(outcomes_end_at(stored({{100, 100}}, {{101 + chain::kSeamReach, kFar}}), {100, 100}),
                IsEmpty());
}

TEST(OutcomesEnd, HeightsThatAreNotStoredAnyMoreTellNothing) {
    auto coverage = stored({{100, 149}}, {{150, 159}});
    coverage.covered.subtract({150, 159});
    EXPECT_THAT(outcomes_end_at(coverage, {100, 149}), IsEmpty());
}

// A service that fails every few blocks: within the reach of a tree there are hundreds of ends.
TEST(OutcomesEnd, EveryFewBlocksAreLookedAtTogether) {
    base::asio::io_context context;
    MemoryStore memory;
    metrics::Registry registry;
    metrics::FollowSeries series(registry);
    State state(series, memory.clock);
    follow::Seams seams({memory, memory, memory}, state, {});
    for (Height height = 100; height < 1'000; height += 4) {
        memory.coverage.covered.add({height, height + 3});
        memory.coverage.without_outcomes.add({height + 2, height + 3});
    }
    memory.seams[900] = {900, 999, false};
    base::TaskGroup group(context.get_executor());
    group.spawn(seams.close_pending(std::chrono::seconds(0)));
    context.run();
    EXPECT_THAT(memory.taken_over, ElementsAre(HeightRange{102, 998}));
}

}  // namespace
}  // namespace receiptd::follow
