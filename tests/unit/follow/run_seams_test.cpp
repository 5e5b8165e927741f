// Where a run begins or ends beside rows that are stored already.
#include "follower_fixture.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <vector>

namespace receiptd::follow {
namespace {

using base::HeightSet;

// Receipts that a gap's receipts spawned stand above it, without a parent: at the seams they are brought
// together.
class Seams : public testing::FollowerTest {
protected:
    void store_all_but(const HeightSet& holes) {
        chain.add_range(100, 110);
        follow(100, 110);
        store.coverage.covered.subtract(holes);
        for (const auto& range : holes.ranges())
            for (auto height = range.from; height <= range.to; ++height) store.blocks.erase(height);
    }
    bool looked_at(base::Height seam) const {
        const auto& ranges = store.adopted_since_commit;
        return std::any_of(ranges.begin(), ranges.end(),
                           [&](const base::HeightRange& range) { return range.contains(seam); });
    }
};

TEST_F(Seams, OfTheLastGapAreLookedAtBeforeTheEnd) {
    store_all_but(HeightSet({105, 105}));
    EXPECT_TRUE(resume(110).missing.empty());
    EXPECT_TRUE(looked_at(105));
}

TEST_F(Seams, BetweenHeightsThatARunLeaptOverAreLookedAt) {
    HeightSet holes({103, 103});
    holes.add({107, 107});
    store_all_but(holes);
    EXPECT_TRUE(follow(100, 110).missing.empty());
    EXPECT_TRUE(looked_at(107));
}

TEST_F(Seams, BelowRowsThatWereStoredBeforeAreLookedAcross) {
    HeightSet holes({103, 103});
    holes.add({107, 107});
    store_all_but(holes);
    EXPECT_TRUE(follow(100, 110).missing.empty());
    EXPECT_THAT(store.late_across, ::testing::IsSupersetOf({104u, 108u}));
}

TEST_F(Seams, ThatAKilledDaemonLeftAreLookedAcross) {
    store_all_but({});
    store.seams.emplace(103, chain::Seam{103, 104, false});
    resume(110);
    EXPECT_THAT(store.late_across, ::testing::Contains(105u));
    EXPECT_TRUE(store.seams.empty());
}

TEST_F(Seams, OfARangeAreLookedAtWithoutStoppingItsWriters) {
    chain.add_range(100, 400);
    follow(100, 100);
    std::vector<base::Height> looked_at;  // the last block that was stored by then
    store.before_adoption = [&](base::HeightRange) { looked_at.push_back(*store.coverage.covered.last()); };
    std::vector<std::size_t> batches;
    store.before_commit = [&](const chain::RowBatch& batch) { batches.push_back(batch.facts.blocks.size()); };
    EXPECT_TRUE(resume(400).missing.empty());
    EXPECT_THAT(looked_at, ::testing::Contains(::testing::AllOf(::testing::Gt(100u), ::testing::Lt(400u))));
    EXPECT_EQ(looked_at.back(), 400u);
    EXPECT_THAT(batches, ::testing::Each(3u)) << "none was cut short to be committed before a look";
}

}  // namespace
}  // namespace receiptd::follow
