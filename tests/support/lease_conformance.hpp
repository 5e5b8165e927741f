// Tests that every lease of the leader passes: PostgreSQL's (integration_storage) and the one in memory
// (unit_follow). A fixture gives `lease()`, that of another process as `others_lease()`, `blocks()`, and lets
// time pass by `pass(seconds)`.
#pragma once

#include "storage/block_store.hpp"
#include "storage/lease_store.hpp"
#include "support/await.hpp"
#include "support/row_batches.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <utility>

namespace receiptd::test {

template <class Fixture>
class LeaseConformance : public Fixture {
protected:
    storage::Lease hold() { return await(this->lease().hold({})); }
    storage::Lease others_hold(std::string gone = "") {
        return await(this->others_lease().hold(std::move(gone)));
    }
    storage::CommitOutcome commit(base::Height height, std::optional<std::int64_t> epoch) {
        auto batch = block_batch(height);
        batch.facts.epoch = epoch;
        return await(this->blocks().commit(std::move(batch)));
    }
};

TYPED_TEST_SUITE_P(LeaseConformance);

TYPED_TEST_P(LeaseConformance, NobodysIsTakenAtOnceAndHeldWhileItIsRenewed) {
    const auto first = this->hold();
    EXPECT_TRUE(first.mine);
    for (int i = 0; i < 3; ++i) {
        this->pass(2);
        EXPECT_TRUE(this->hold().mine);
        const auto seen = this->others_hold();
        EXPECT_FALSE(seen.mine);
        EXPECT_EQ(seen.epoch, first.epoch);
        EXPECT_EQ(seen.holder, first.holder);
    }
}

TYPED_TEST_P(LeaseConformance, OneThatHasRunOutIsTakenOverInANewEpoch) {
    const auto first = this->hold();
    this->pass(4);
    const auto second = this->others_hold();
    EXPECT_TRUE(second.mine);
    EXPECT_GT(second.epoch, first.epoch);
    const auto seen = this->hold();
    EXPECT_FALSE(seen.mine);
    EXPECT_EQ(seen.epoch, second.epoch);
}

TYPED_TEST_P(LeaseConformance, OneThatHasRunOutIsRenewedWhileNobodyElseWantsIt) {
    const auto first = this->hold();
    this->pass(4);
    const auto again = this->hold();
    EXPECT_TRUE(again.mine);
    EXPECT_EQ(again.epoch, first.epoch);
}

TYPED_TEST_P(LeaseConformance, OneThatIsReleasedOrWhoseHolderIsGoneIsTakenAtOnce) {
    const auto first = this->hold();
    EXPECT_FALSE(this->others_hold("00000000-0000-4000-8000-000000000000").mine);
    EXPECT_TRUE(this->others_hold(first.holder).mine);
    await(this->lease().release());
    EXPECT_FALSE(this->hold().mine) << "only the holder releases it";
    await(this->others_lease().release());
    EXPECT_TRUE(this->hold().mine);
}

TYPED_TEST_P(LeaseConformance, AFormerLeaderCommitsNothing) {
    const auto first = this->hold();
    EXPECT_EQ(this->commit(100, first.epoch), storage::CommitOutcome::committed);
    this->pass(4);
    const auto second = this->others_hold();
    EXPECT_EQ(this->commit(101, first.epoch), storage::CommitOutcome::not_leader);
    EXPECT_FALSE(await(this->blocks().load_coverage()).covered.contains(101));
    EXPECT_EQ(this->commit(101, second.epoch), storage::CommitOutcome::committed);
    EXPECT_EQ(this->commit(90, std::nullopt), storage::CommitOutcome::committed)
        << "a backfill needs no lease";
}

REGISTER_TYPED_TEST_SUITE_P(LeaseConformance, NobodysIsTakenAtOnceAndHeldWhileItIsRenewed,
                            OneThatHasRunOutIsTakenOverInANewEpoch,
                            OneThatHasRunOutIsRenewedWhileNobodyElseWantsIt,
                            OneThatIsReleasedOrWhoseHolderIsGoneIsTakenAtOnce, AFormerLeaderCommitsNothing);

}  // namespace receiptd::test
