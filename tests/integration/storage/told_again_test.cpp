// Receipts that a service tells in two blocks, which the chain never does: the row of the lower height stays,
// whatever came first, and all else is as if the other one had not been told.
#include "doubled_chain.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::test {
namespace {

using Pieces = std::vector<std::pair<std::size_t, std::size_t>>;

// With the hash of the transaction beside each receipt, or without.
class ToldAgain : public ExecutedTwice, public testing::WithParamInterface<bool> {
protected:
    void tell_truth() {
        tell_one();
        if (GetParam()) name_transactions();
    }
    std::string true_rows() {
        tell_truth();
        clear();
        follow();
        judge_late();
        return all_rows();
    }
    void assert_told_as(const std::string& expected, const std::string& how) {
        ASSERT_EQ(all_rows(), expected) << how;
        ASSERT_EQ(value("SELECT count(*) FROM executed_again"), "0") << how;
        ASSERT_EQ(value("SELECT count(*) FROM unfinished_trees('-infinity')"), "0") << how;
        ASSERT_EQ(value("SELECT count(*) FROM orphan_receipts WHERE adopted_at IS NULL"), "0") << how;
    }
};

TEST_P(ToldAgain, IsStoredOnceByOneRun) {
    const auto expected = true_rows();
    for (std::size_t at = 1; at <= kTreeLength; ++at)
        for (const std::size_t later : {1u, 2u, 7u}) {
            tell_truth();
            tell_receipts_again(at, later);
            clear();
            follow();
            judge_late();
            assert_told_as(expected, std::to_string(at) + " again after " + std::to_string(later));
        }
}

TEST_P(ToldAgain, IsStoredOnceWhicheverCameFirst) {
    const auto expected = true_rows();
    for (std::size_t at = 1; at <= kTreeLength; ++at)
        for (std::size_t cut = at + 1; cut <= at + 5; ++cut) {
            tell_truth();
            tell_receipts_again(at, 5);
            const auto how = std::to_string(at) + " again, cut at " + std::to_string(cut);
            clear();
            follow_in_pieces({{0, cut}, {cut, kChainLength}});
            assert_told_as(expected, how);
            clear();
            follow_in_pieces({{cut, kChainLength}, {0, cut}});
            assert_told_as(expected, how + ", the higher one first");
            assert_that_rejudge_changes_nothing();
        }
}

// The transaction is told again, too: no receipt is an orphan in the run that tells all of it again.
TEST_P(ToldAgain, IsStoredOnceWithItsTransaction) {
    const auto expected = true_rows();
    tell_truth();
    tell_again(6);
    for (std::size_t at = 1; at <= kTreeLength; ++at) tell_receipts_again(at, 6);
    for (std::size_t cut = 1; cut <= 11; ++cut) {
        const auto how = "cut at " + std::to_string(cut);
        clear();
        follow_in_pieces({{0, cut}, {cut, kChainLength}});
        assert_told_as(expected, how);
        clear();
        follow_in_pieces({{cut, kChainLength}, {0, cut}});
        assert_told_as(expected, how + ", the higher ones first");
    }
}

// Its children are told again, too, with their parent: only what a run begins with is an orphan.
TEST_P(ToldAgain, IsStoredOnceWithAllThatItMade) {
    const auto expected = true_rows();
    tell_truth();
    for (std::size_t at = 1; at <= kTreeLength; ++at) tell_receipts_again(at, 6);
    for (std::size_t cut = 1; cut <= 11; ++cut) {
        clear();
        follow_in_pieces({{0, cut}, {cut, kChainLength}});
        assert_told_as(expected, "cut at " + std::to_string(cut));
        clear();
        follow_in_pieces({{cut, kChainLength}, {0, cut}});
        assert_told_as(expected, "the higher ones first, cut at " + std::to_string(cut));
    }
}

TEST_P(ToldAgain, IsStoredOnceInAnyOrderOfPieces) {
    const auto expected = true_rows();
    for (unsigned seed = 1; seed <= 25; ++seed) {
        std::mt19937 random(seed);
        tell_truth();
        for (auto times = 1 + random() % 3; times > 0; --times)
            tell_receipts_again(1 + random() % kTreeLength, 1 + random() % 9);
        Pieces pieces;
        for (std::size_t from = 0; from < kChainLength; from = pieces.back().second)
            pieces.emplace_back(from, std::min<std::size_t>(kChainLength, from + 1 + random() % 5));
        std::shuffle(pieces.begin(), pieces.end(), random);
        clear();
        follow_in_pieces(pieces);
        assert_told_as(expected, "seed " + std::to_string(seed));
    }
}

TEST_P(ToldAgain, IsTheSameWhenABlockIsRemovedAndStoredAgain) {
    const auto expected = true_rows();
    for (std::size_t told = 1; told <= kTreeLength; ++told) {
        tell_truth();
        tell_receipts_again(told, 5);
        clear();
        follow();
        judge_late();
        for (std::size_t at = 1; at + 1 < kChainLength; ++at) {
            store_again(at);
            assert_told_as(expected, std::to_string(told) + " again, block " + std::to_string(at));
        }
    }
}

TEST_P(ToldAgain, IsToldToPeopleOnce) {
    tell_truth();
    tell_receipts_again(2, 5);  // the promise, which failed
    for (const Pieces& pieces :
         {Pieces{{0, kChainLength}}, Pieces{{0, 4}, {4, kChainLength}}, Pieces{{4, kChainLength}, {0, 4}},
          Pieces{{6, kChainLength}, {2, 6}, {0, 2}}}) {
        clear();
        execute("DELETE FROM deliveries; DELETE FROM alerts; DELETE FROM stream_events");
        follow_in_pieces(pieces);
        EXPECT_EQ(rows("SELECT alert_id FROM alerts"), "failed_receipt:P\n") << pieces.front().first;
        EXPECT_EQ(rows("SELECT block_height FROM findings"), std::to_string(kFirstBlock + 2) + "\n");
    }
}

// Parents are looked for as far as that. Beyond, both rows stay, and the view says so.
TEST_P(ToldAgain, IsStoredTwiceFarApart) {
    for (const base::Height later : {chain::kSeamReach - 1, chain::kSeamReach + 1}) {
        tell_truth();
        const auto far = add_block(kFirstBlock + 2 + later);
        tell_receipts_again(2, far - 2);
        for (const auto& pieces :
             {Pieces{{0, far + 1}}, Pieces{{0, far}, {far, far + 1}}, Pieces{{far, far + 1}, {0, far}}}) {
            clear();
            follow_in_pieces(pieces);
            EXPECT_EQ(value("SELECT count(*) FROM receipts WHERE receipt_id = 'P'"),
                      later > chain::kSeamReach ? "2" : "1")
                << later;
            EXPECT_EQ(rows("SELECT kind, id, earlier_height FROM executed_again"),
                      later > chain::kSeamReach ? "receipt|P|12\n" : "");
            EXPECT_EQ(rows("SELECT verdict, completed_height FROM transaction_results"),
                      "succeeded_with_handled_failure|13\n");
        }
    }
}

INSTANTIATE_TEST_SUITE_P(OfATree, ToldAgain, testing::Bool(),
                         [](const auto& of) { return of.param ? "Named" : "Unnamed"; });

}  // namespace
}  // namespace receiptd::test
