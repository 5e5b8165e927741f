// Every store of blocks, trees and backfills passes these tests: PostgreSQL's (integration_storage) and the
// one in memory that unit tests trust (unit_follow). A fixture gives `blocks()`, `trees()`, `backfills()`,
// the backfills of another process as `others_backfills()`, and lets time pass by `pass(seconds)`.
#pragma once

#include "storage/backfill_store.hpp"
#include "storage/block_store.hpp"
#include "storage/tree_store.hpp"
#include "support/await.hpp"
#include "support/row_batches.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::test {

template <class Fixture>
class StoreConformance : public Fixture {
protected:
    storage::CommitOutcome commit(RowBatch batch) { return await(this->blocks().commit(std::move(batch))); }
    storage::Coverage coverage() { return await(this->blocks().load_coverage()); }
    std::vector<std::string> due(unsigned limit = 10) {
        std::vector<std::string> hashes;
        for (const auto& tree : await(this->trees().due_trees(limit, base::kAllHeights)))
            hashes.push_back(tree.tx_hash);
        return hashes;
    }
    std::uint64_t pending(base::HeightRange range) { return await(this->trees().pending_tree_count(range)); }

    static RowBatch block_with_tree(base::Height height, const std::string& tx_hash) {
        auto batch = block_batch(height);
        add_transaction(batch, {tx_hash});
        add_pending(batch, tx_hash);
        return batch;
    }
    // A tree of one receipt, executed in the block above.
    static chain::TreeRows tree(const std::string& tx_hash, base::Height included_in) {
        chain::TreeRows rows;
        ReceiptRow receipt;
        receipt.receipt_id = tx_hash + "-r";
        receipt.tree_id = receipt.tx_hash = tx_hash;
        receipt.role = "initial";
        add_receipt(rows.batch, included_in + 1, receipt);
        rows.completion.tx_hash = tx_hash;
        rows.completion.block_timestamp_nanosec = kFirstTime + included_in * 1'000'000'000;
        rows.completion.status = "success_receipt_id";
        rows.completion.initial_receipt_id = receipt.receipt_id;
        return rows;
    }
};

TYPED_TEST_SUITE_P(StoreConformance);

TYPED_TEST_P(StoreConformance, WhatIsCommittedIsCoveredAndWanted) {
    await(this->blocks().want({90, 101}));
    auto batch = block_batch(105, 102);
    batch.facts.wanted.add({100, 105});
    EXPECT_EQ(this->commit(std::move(batch)), storage::CommitOutcome::committed);
    const auto coverage = this->coverage();
    EXPECT_EQ(coverage.covered, base::HeightSet({103, 105}));
    EXPECT_EQ(coverage.wanted, base::HeightSet({90, 105}));
    EXPECT_EQ(coverage.gaps(), base::HeightSet({90, 102}));
}

TYPED_TEST_P(StoreConformance, WhatAnOperatorSkipsIsWantedNoMoreUntilItIsWantedAgain) {
    EXPECT_TRUE(await(this->blocks().skip({0, 200})).empty()) << "nothing is stored, so nothing is missing";
    this->commit(block_batch(100));
    this->commit(block_batch(110));
    await(this->blocks().want({90, 95}));
    await(this->blocks().record_unavailable({93, "UNKNOWN_BLOCK", "", 1}));
    await(this->blocks().record_unavailable({116, "UNKNOWN_BLOCK", "", 1}));
    await(this->blocks().follow_since(105));
    base::HeightSet skipped({90, 95});
    skipped.add({105, 109});
    skipped.add({111, 115});
    EXPECT_EQ(await(this->blocks().skip({0, 115})), skipped) << "101 to 104 were never wanted";
    EXPECT_TRUE(await(this->blocks().skip({0, 115})).empty());
    await(this->blocks().record_unavailable({112, "UNKNOWN_BLOCK", "fetched meanwhile", 1}));
    const auto coverage = this->coverage();
    EXPECT_EQ(coverage.skipped_by_operator, skipped);
    EXPECT_EQ(coverage.gaps(), base::HeightSet({116, 116}));
    EXPECT_EQ(coverage.followed_since, 105u);
    EXPECT_EQ(await(this->blocks().unavailable_heights(10)).size(), 1u);
    await(this->blocks().want({107, 112}));
    skipped.subtract({107, 112});
    EXPECT_EQ(this->coverage().skipped_by_operator, skipped);
}

TYPED_TEST_P(StoreConformance, ThatOneHostAloneToldTheFirstBlockIsKnownUntilItIsConfirmed) {
    EXPECT_EQ(this->coverage().one_host_since, std::nullopt);
    await(this->blocks().set_one_host_since(100));
    this->commit(block_batch(100));
    EXPECT_EQ(this->coverage().one_host_since, 100u);
    await(this->blocks().set_one_host_since(std::nullopt));
    EXPECT_EQ(this->coverage().one_host_since, std::nullopt);
}

TYPED_TEST_P(StoreConformance, HeightsWhoseBlocksToldNoOutcomesAreKnown) {
    auto told = block_batch(100), untold = block_batch(101);
    untold.facts.tell_outcomes = false;
    this->commit(std::move(told));
    this->commit(std::move(untold));
    EXPECT_EQ(this->coverage().without_outcomes, base::HeightSet({101, 101}));
    await(this->blocks().remove_block(101));
    this->commit(block_batch(101));
    EXPECT_EQ(this->coverage().covered, base::HeightSet({100, 101}));
    EXPECT_TRUE(this->coverage().without_outcomes.empty()) << "they were stored anew, from the other source";
}

TYPED_TEST_P(StoreConformance, NothingIsWrittenOfABatchThatIsCoveredInPart) {
    this->commit(block_batch(100));
    auto both = this->block_with_tree(100, "T");
    both.append(block_batch(101));
    EXPECT_EQ(this->commit(std::move(both)), storage::CommitOutcome::already_covered);
    EXPECT_EQ(this->coverage().covered, base::HeightSet({100, 100}));
    EXPECT_EQ(await(this->blocks().stored_block_by_hash("hash101")), std::nullopt);
    EXPECT_EQ(this->pending({0, 1'000}), 0u);
}

TYPED_TEST_P(StoreConformance, UnavailableHeightsAreWantedUntilTheyAreCovered) {
    await(this->blocks().record_unavailable({100, "UNKNOWN_BLOCK", "nobody has it", 1}));
    await(this->blocks().record_unavailable({101, "UNKNOWN_CHUNK", "chunk is gone", 3}));
    await(this->blocks().record_unavailable({101, "http_500", "chunk is still gone", 2}));
    EXPECT_EQ(this->coverage().wanted, base::HeightSet({100, 101}));
    EXPECT_EQ(await(this->blocks().unavailable_heights(1)).size(), 1u);
    this->commit(block_batch(100));
    const auto left = await(this->blocks().unavailable_heights(10));
    ASSERT_EQ(left.size(), 1u);
    EXPECT_EQ(left[0].height, 101u);
    EXPECT_EQ(left[0].reason, "http_500");
    EXPECT_EQ(left[0].detail, "chunk is still gone");
    EXPECT_EQ(left[0].attempts, 3u) << "they are never fewer";
}

TYPED_TEST_P(StoreConformance, StoredBlocksAreFoundAroundAHeightAndByHash) {
    EXPECT_EQ(await(this->blocks().stored_block_above(0)), std::nullopt);
    this->commit(block_batch(100));
    this->commit(block_batch(105, 102));
    EXPECT_EQ(await(this->blocks().stored_block_below(101))->hash, "hash100");
    EXPECT_EQ(await(this->blocks().stored_block_below(105))->height, 100u);
    EXPECT_EQ(await(this->blocks().stored_block_below(100)), std::nullopt);
    EXPECT_EQ(await(this->blocks().stored_block_above(100))->prev_height, 102u);
    EXPECT_EQ(await(this->blocks().stored_block_above(105)), std::nullopt);
    EXPECT_EQ(await(this->blocks().stored_block_by_hash("hash105"))->timestamp_nanosec,
              kFirstTime + 105'000'000'000ull);
    EXPECT_EQ(await(this->blocks().stored_block_by_hash("nowhere")), std::nullopt);
}

TYPED_TEST_P(StoreConformance, TreesAreDueAtOnceAndThenNobodyElsesForSomeSeconds) {
    this->commit(this->block_with_tree(100, "T"));
    const auto due = await(this->trees().due_trees(10, base::kAllHeights));
    ASSERT_EQ(due.size(), 1u);
    EXPECT_EQ(due[0].tx_hash, "T");
    EXPECT_EQ(due[0].sender_id, "alice.near");
    EXPECT_EQ(due[0].included_in.height, 100u);
    EXPECT_EQ(due[0].included_in.hash, "hash100");
    EXPECT_EQ(due[0].included_in.timestamp_nanosec, kFirstTime + 100'000'000'000ull);
    EXPECT_EQ(due[0].shard_id, 3u);
    EXPECT_EQ(due[0].attempts, 0u);
    EXPECT_FALSE(due[0].ordered);
    EXPECT_TRUE(this->due().empty());
    this->pass(4);
    EXPECT_EQ(this->due(), std::vector<std::string>{"T"});
}

TYPED_TEST_P(StoreConformance, TheLowestTreesAreDueFirst) {
    auto batch = this->block_with_tree(100, "Z");
    batch.append(this->block_with_tree(101, "B"));
    batch.append(this->block_with_tree(102, "A"));
    this->commit(std::move(batch));
    EXPECT_EQ(this->pending({101, 1'000}), 2u);
    EXPECT_EQ(this->due(2), (std::vector<std::string>{"Z", "B"}));
    EXPECT_EQ(this->due(2), std::vector<std::string>{"A"});
}

TYPED_TEST_P(StoreConformance, TreesOfARangeAreDueForThemselves) {
    auto batch = this->block_with_tree(100, "A");
    batch.append(this->block_with_tree(101, "B"));
    batch.append(this->block_with_tree(102, "C"));
    this->commit(std::move(batch));
    const auto due = await(this->trees().due_trees(10, {101, 101}));
    ASSERT_EQ(due.size(), 1u);
    EXPECT_EQ(due[0].tx_hash, "B");
    EXPECT_EQ(this->due(), (std::vector<std::string>{"A", "C"}));
}

TYPED_TEST_P(StoreConformance, ATreeThatIsPostponedComesAgainWithOneMoreAttempt) {
    this->commit(this->block_with_tree(100, "T"));
    await(this->trees().postpone_tree(pending_tree("T", 100), std::chrono::hours(1),
                                      "receipts still to execute"));
    await(this->trees().postpone_tree(pending_tree("nobody's", 100), std::chrono::hours(1),
                                      "it is stored already"));
    EXPECT_TRUE(this->due().empty());
    EXPECT_EQ(this->pending({100, 100}), 1u);
    this->pass(3'601);
    const auto due = await(this->trees().due_trees(10, base::kAllHeights));
    ASSERT_EQ(due.size(), 1u);
    EXPECT_EQ(due[0].attempts, 1u);
}

TYPED_TEST_P(StoreConformance, ATreeIsStoredOnceAndIsNotPendingThen) {
    this->commit(this->block_with_tree(100, "T"));
    await(this->trees().commit_tree(this->tree("T", 100)));
    await(this->trees().commit_tree(this->tree("T", 100)));
    EXPECT_EQ(this->pending({0, 1'000}), 0u);
    this->pass(60);
    EXPECT_TRUE(this->due().empty());
}

TYPED_TEST_P(StoreConformance, ATreeThatWaitsForReceiptsSaysSinceWhen) {
    this->commit(this->block_with_tree(100, "T"));
    await(this->trees().await_receipts(pending_tree("T", 100), std::chrono::milliseconds(0), {"receipt"}));
    this->pass(1);
    const auto due = await(this->trees().due_trees(10, base::kAllHeights));
    ASSERT_EQ(due.size(), 1u);
    EXPECT_TRUE(due[0].receipts_missing_for);
    EXPECT_EQ(due[0].attempts, 1u);
    EXPECT_EQ(due[0].stored_part, chain::StoredPart::none);
    EXPECT_EQ(this->pending({0, 1'000}), 1u);
}

TYPED_TEST_P(StoreConformance, ATreeOfWhichAPartIsStoredIsDueAgainAndCountsNoMore) {
    this->commit(this->block_with_tree(100, "T"));
    auto tree = this->tree("T", 100);
    tree.completion.part = chain::StoredPart::rows;
    tree.completion.missing_receipts = {"receipt"};
    await(this->trees().commit_tree(tree));
    EXPECT_EQ(this->pending({0, 1'000}), 0u);
    this->pass(1);
    const auto due = await(this->trees().due_trees(10, base::kAllHeights));
    ASSERT_EQ(due.size(), 1u);
    EXPECT_EQ(due[0].stored_part, chain::StoredPart::rows);
    EXPECT_FALSE(due[0].has_result);
    tree.completion.part = chain::StoredPart::none;
    tree.completion.replaces_part = true;
    await(this->trees().commit_tree(tree));
    this->pass(60);
    EXPECT_TRUE(this->due().empty());
}

TYPED_TEST_P(StoreConformance, WhatBecomesOfOneListingOfAHashLeavesTheOtherListingAsItWas) {
    this->commit(this->block_with_tree(100, "T"));
    this->commit(this->block_with_tree(103, "T"));
    const auto other = [this] {
        const auto due = await(this->trees().due_trees(10, {103, 103}));
        this->pass(60);
        return due.size() == 1 ? due[0] : storage::PendingTree();
    };
    const auto is_untouched = [](const storage::PendingTree& tree) {
        return tree.included_in.height == 103 && tree.attempts == 0 && !tree.receipts_missing_for &&
               tree.stored_part == chain::StoredPart::none;
    };
    await(this->trees().postpone_tree(pending_tree("T", 100), std::chrono::hours(1),
                                      "hosts give another execution"));
    EXPECT_TRUE(is_untouched(other())) << "postponed";
    await(this->trees().await_receipts(pending_tree("T", 100), std::chrono::hours(1), {"receipt"}));
    EXPECT_TRUE(is_untouched(other())) << "a receipt is missing";
    auto part = this->tree("T", 100);
    part.completion.part = chain::StoredPart::rows;
    part.completion.missing_receipts = {"receipt"};
    part.completion.again_after = std::chrono::hours(1);
    await(this->trees().commit_tree(part));
    EXPECT_TRUE(is_untouched(other())) << "a part is stored";
    await(this->trees().commit_tree(this->tree("T", 100)));
    EXPECT_TRUE(is_untouched(other())) << "it is whole";
}

TYPED_TEST_P(StoreConformance, TreesOfABackfillAreOrdered) {
    await(this->backfills().claim_backfill({90, 100}));
    auto batch = this->block_with_tree(100, "T");
    batch.append(this->block_with_tree(101, "U"));
    this->commit(std::move(batch));
    const auto due = await(this->trees().due_trees(10, base::kAllHeights));
    ASSERT_EQ(due.size(), 2u);
    EXPECT_TRUE(due[0].ordered);
    EXPECT_FALSE(due[1].ordered);
}

TYPED_TEST_P(StoreConformance, ABackfillIsWorkedOnByOneProcess) {
    this->commit(block_batch(100));
    const auto mine = await(this->backfills().claim_backfill({99, 102}));
    EXPECT_FALSE(mine.leased);
    EXPECT_EQ(mine.missing.to_multirange(), "{[99,100),[101,103)}");
    const auto theirs = await(this->others_backfills().claim_backfill({99, 102}));
    EXPECT_TRUE(theirs.leased);
    EXPECT_EQ(theirs.id, mine.id);
    EXPECT_FALSE(await(this->backfills().claim_backfill({99, 102})).leased) << "the same process asks again";
    EXPECT_TRUE(await(this->others_backfills().claim_abandoned_backfills()).empty());
    this->pass(20);
    await(this->backfills().renew_backfill(mine.id));
    this->pass(20);
    EXPECT_TRUE(await(this->others_backfills().claim_abandoned_backfills()).empty());
}

TYPED_TEST_P(StoreConformance, ABackfillWhoseLeaseHasRunOutIsTakenOver) {
    const auto mine = await(this->backfills().claim_backfill({99, 102}));
    this->pass(31);
    EXPECT_TRUE(await(this->backfills().claim_abandoned_backfills()).empty()) << "not by its own process";
    const auto taken = await(this->others_backfills().claim_abandoned_backfills());
    ASSERT_EQ(taken.size(), 1u);
    EXPECT_EQ(taken[0].id, mine.id);
    EXPECT_EQ(taken[0].range, (base::HeightRange{99, 102}));
    EXPECT_EQ(taken[0].missing, base::HeightSet({99, 102}));
    await(this->backfills().renew_backfill(mine.id));
    await(this->backfills().release_backfill(mine.id));
    EXPECT_TRUE(await(this->backfills().claim_backfill({99, 102})).leased) << "a lost lease is lost";
}

TYPED_TEST_P(StoreConformance, ABackfillCanBeReleasedAndFinishedAndOrderedAnew) {
    const auto first = await(this->backfills().claim_backfill({1, 5}));
    await(this->backfills().release_backfill(first.id));
    EXPECT_FALSE(await(this->others_backfills().claim_backfill({1, 5})).leased);
    await(this->others_backfills().finish_backfill(first.id));
    EXPECT_TRUE(await(this->backfills().claim_abandoned_backfills()).empty());
    EXPECT_NE(await(this->backfills().claim_backfill({1, 5})).id, first.id);
}

TYPED_TEST_P(StoreConformance, TwoAbandonedBackfillsAreTakenAtOnce) {
    for (base::Height from : {1, 11, 21}) await(this->backfills().claim_backfill({from, from + 4}));
    this->pass(31);
    EXPECT_EQ(await(this->others_backfills().claim_abandoned_backfills()).size(), 2u);
    EXPECT_EQ(await(this->others_backfills().claim_abandoned_backfills()).size(), 1u);
}

TYPED_TEST_P(StoreConformance, AFillOfAccountsIsAnOrderOfItsOwn) {
    const auto range = await(this->backfills().claim_backfill({1, 9}));
    const auto fill = await(this->backfills().claim_fill({1, 9}, {"b.near", "a.near"}));
    EXPECT_NE(fill.id, range.id);
    EXPECT_TRUE(await(this->others_backfills().claim_fill({5, 9}, {"a.near", "b.near"})).leased)
        << "a wider one is under way";
    EXPECT_FALSE(await(this->others_backfills().claim_fill({5, 9}, {"a.near"})).leased);
    this->pass(31);
    const auto taken = await(this->others_backfills().claim_abandoned_backfills());
    ASSERT_EQ(taken.size(), 2u);
    EXPECT_TRUE(taken[0].accounts.empty());
    EXPECT_EQ(taken[1].accounts, (std::vector<std::string>{"a.near", "b.near"}));
    EXPECT_TRUE(taken[1].missing.empty());
}

TYPED_TEST_P(StoreConformance, HeightsToBeReplacedAreAnOrderOfTheirOwn) {
    const auto range = await(this->backfills().claim_backfill({1, 9}));
    const auto again = await(this->backfills().claim_reindex({1, 9}));
    EXPECT_NE(again.id, range.id);
    EXPECT_TRUE(again.replaces);
    EXPECT_TRUE(again.missing.empty());
    EXPECT_TRUE(await(this->others_backfills().claim_reindex({5, 9})).leased) << "a wider one is under way";
    this->pass(31);
    const auto narrower = await(this->others_backfills().claim_reindex({5, 9}));
    EXPECT_EQ(narrower.id, again.id);
    EXPECT_EQ(narrower.range, (base::HeightRange{1, 9})) << "all of it is to be done";
    this->pass(31);
    const auto taken = await(this->backfills().claim_abandoned_backfills());
    ASSERT_EQ(taken.size(), 1u) << "the other one is its own";
    EXPECT_TRUE(taken[0].replaces);
}

REGISTER_TYPED_TEST_SUITE_P(
    StoreConformance, WhatIsCommittedIsCoveredAndWanted,
    WhatAnOperatorSkipsIsWantedNoMoreUntilItIsWantedAgain,
    ThatOneHostAloneToldTheFirstBlockIsKnownUntilItIsConfirmed, HeightsWhoseBlocksToldNoOutcomesAreKnown,
    NothingIsWrittenOfABatchThatIsCoveredInPart, UnavailableHeightsAreWantedUntilTheyAreCovered,
    StoredBlocksAreFoundAroundAHeightAndByHash, TreesAreDueAtOnceAndThenNobodyElsesForSomeSeconds,
    TheLowestTreesAreDueFirst, TreesOfARangeAreDueForThemselves,
    ATreeThatIsPostponedComesAgainWithOneMoreAttempt, ATreeIsStoredOnceAndIsNotPendingThen,
    ATreeThatWaitsForReceiptsSaysSinceWhen, ATreeOfWhichAPartIsStoredIsDueAgainAndCountsNoMore,
    WhatBecomesOfOneListingOfAHashLeavesTheOtherListingAsItWas, TreesOfABackfillAreOrdered,
    ABackfillIsWorkedOnByOneProcess, HeightsToBeReplacedAreAnOrderOfTheirOwn,
    ABackfillWhoseLeaseHasRunOutIsTakenOver, ABackfillCanBeReleasedAndFinishedAndOrderedAnew,
    TwoAbandonedBackfillsAreTakenAtOnce, AFillOfAccountsIsAnOrderOfItsOwn);

}  // namespace receiptd::test
