#include "follow/silent_trees.hpp"

#include "metrics/registry.hpp"
#include "support/await.hpp"
#include "unit/follow/fakes.hpp"
#include "unit/follow/memory_store.hpp"

#include <gtest/gtest.h>

namespace receiptd::follow {
namespace {

using base::HeightRange;
using base::HeightSet;
using test::await;

class Silent : public ::testing::Test {
protected:
    void stored(HeightSet covered) {
        storage::Coverage coverage;
        coverage.covered = std::move(covered);
        state_.heights.load(std::move(coverage), {}, std::nullopt);
    }
    unsigned look(HeightRange range = base::kAllHeights) { return await(silent_.look(range)); }
    std::vector<HeightRange>& looked_at() { return store_.looked_at_for_silent; }

    testing::MemoryStore store_;
    metrics::Registry registry_;
    metrics::FollowSeries series_{registry_};
    State state_{series_, store_.clock};
    SilentTrees silent_{store_, state_};
};

TEST_F(Silent, AreLookedForOnceBelowFiftyStoredBlocks) {
    stored(HeightSet({100, 149}));
    EXPECT_EQ(look(), 0u);
    EXPECT_TRUE(looked_at().empty());
    stored(HeightSet({100, 160}));
    look();
    look();
    EXPECT_EQ(looked_at(), (std::vector<HeightRange>{{100, 110}}));
    stored(HeightSet({100, 161}));
    look();
    EXPECT_EQ(looked_at().back(), (HeightRange{111, 111}));
}

TEST_F(Silent, AreNotLookedForBelowAGapThatMayHaveTheRest) {
    HeightSet covered({100, 160});
    covered.add({170, 200});
    stored(covered);
    look();
    EXPECT_EQ(looked_at(), (std::vector<HeightRange>{{100, 110}}));
}

TEST_F(Silent, AreAskedForAFewAtATime) {
    stored(HeightSet({100, 160}));
    store_.silent = 20;
    EXPECT_EQ(look(), 16u);
    EXPECT_EQ(look(), 4u);
    EXPECT_EQ(look(), 0u);
    EXPECT_EQ(looked_at().size(), 2u);
}

TEST_F(Silent, AreLookedForAgainWhereRowsWereLost) {
    stored(HeightSet({100, 160}));
    look();
    silent_.forget(HeightSet({105, 105}));
    look();
    EXPECT_EQ(looked_at().back(), (HeightRange{105, 105}));
}

TEST_F(Silent, OfAnEarlierLifeAreLookedForAtTheEndOnly) {
    stored(HeightSet({100, 9'950}));
    look({0, 5'000});
    EXPECT_TRUE(looked_at().empty());
    look();
    EXPECT_EQ(looked_at().front().from, 9'900 - chain::kSeamReach + 1);
}

}  // namespace
}  // namespace receiptd::follow
