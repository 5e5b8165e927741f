// Backfills end, or keep to the rest, where an operator gives heights up.
#include "store_test_support.hpp"

namespace receiptd::test {
namespace {

class SkippedOrders : public StoreTest {
protected:
    void order(base::HeightRange range) {
        await(store().backfills.claim_backfill(range));
        await(store().blocks.want(range));
    }
    // As by a daemon, after whoever worked on them has died.
    std::vector<storage::BackfillProgress> abandoned() {
        execute("UPDATE backfills SET lease_owner = NULL");
        return await(store().backfills.claim_abandoned_backfills());
    }
};

TEST_F(SkippedOrders, AnOrderForWhatIsGivenUpEndsAndOfAWiderOneItsRestIsLeft) {
    commit(block_batch(100));
    order({10, 20});
    order({30, 60});
    await(store().blocks.skip({0, 40}));
    const auto left = abandoned();
    ASSERT_EQ(left.size(), 1u);
    EXPECT_EQ(left[0].range, (base::HeightRange{30, 60}));
    EXPECT_EQ(left[0].missing, base::HeightSet({41, 60}));
    order({30, 60});
    EXPECT_EQ(abandoned().at(0).missing, base::HeightSet({30, 60})) << "who orders it takes it back";
}

TEST_F(SkippedOrders, AFillOfStoredHeightsGoesOn) {
    commit(block_batch(100));
    await(store().backfills.claim_fill({90, 100}, {"bob.near"}));
    await(store().blocks.want({50, 60}));
    await(store().blocks.skip({0, 100}));
    const auto left = abandoned();
    ASSERT_EQ(left.size(), 1u);
    EXPECT_EQ(left[0].accounts, std::vector<std::string>{"bob.near"});
}

}  // namespace
}  // namespace receiptd::test
