#include "storage/adoption.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace receiptd::storage {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const TreeName kA{"A", ""};
const TreeName kB{"B", ""};
const TreeName kC{"C", ""};
const TreeName kT{"T", "T"};

TEST(Adoption, moves_an_orphans_tree_into_its_parents) {
    EXPECT_THAT(plan_moves({{kB, kA}}), ElementsAre(TreeMove{"B", kA}));
}

TEST(Adoption, follows_chains_to_the_transaction_in_any_order_of_links) {
    std::vector<TreeLink> links = {{kA, kT}, {kB, kA}, {kC, kB}};
    const auto by_orphan = [](const TreeLink& a, const TreeLink& b) {
        return a.orphan.tree_id < b.orphan.tree_id;
    };
    do {
        EXPECT_THAT(plan_moves(links), ElementsAre(TreeMove{"A", kT}, TreeMove{"B", kT}, TreeMove{"C", kT}));
    } while (std::next_permutation(links.begin(), links.end(), by_orphan));
}

TEST(Adoption, names_a_tree_after_the_receipt_that_is_nobodys_child) {
    EXPECT_THAT(plan_moves({{kA, kC}, {kB, kA}}), ElementsAre(TreeMove{"A", kC}, TreeMove{"B", kC}));
}

TEST(Adoption, learns_the_transaction_from_a_child) {
    EXPECT_THAT(plan_moves({{kT, kA}}), ElementsAre(TreeMove{"A", kT}));
}

TEST(Adoption, moves_nothing_when_both_sides_have_the_same_name) {
    EXPECT_THAT(plan_moves({{kT, kT}}), IsEmpty());
    EXPECT_THAT(plan_moves({}), IsEmpty());
}

TEST(Adoption, leaves_trees_that_two_transactions_claim) {
    EXPECT_THAT(plan_moves({{kA, kT}, {{"U", "U"}, kA}}), IsEmpty());
}

}  // namespace
}  // namespace receiptd::storage
