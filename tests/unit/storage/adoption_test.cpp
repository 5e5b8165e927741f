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

TEST(Adoption, MovesAnOrphansTreeIntoItsParents) {
    EXPECT_THAT(plan_moves({{kB, kA}}), ElementsAre(TreeMove{"B", kA}));
}

TEST(Adoption, FollowsChainsToTheTransactionInAnyOrderOfLinks) {
    std::vector<TreeLink> links = {{kA, kT}, {kB, kA}, {kC, kB}};
    const auto by_orphan = [](const TreeLink& a, const TreeLink& b) {
        return a.orphan.tree_id < b.orphan.tree_id;
    };
    do {
        EXPECT_THAT(plan_moves(links), ElementsAre(TreeMove{"A", kT}, TreeMove{"B", kT}, TreeMove{"C", kT}));
    } while (std::next_permutation(links.begin(), links.end(), by_orphan));
}

TEST(Adoption, NamesATreeAfterTheReceiptThatIsNobodysChild) {
    EXPECT_THAT(plan_moves({{kA, kC}, {kB, kA}}), ElementsAre(TreeMove{"A", kC}, TreeMove{"B", kC}));
}

TEST(Adoption, LearnsTheTransactionFromAChild) {
    EXPECT_THAT(plan_moves({{kT, kA}}), ElementsAre(TreeMove{"A", kT}));
}

TEST(Adoption, MovesNothingWhenBothSidesHaveTheSameName) {
    EXPECT_THAT(plan_moves({{kT, kT}}), IsEmpty());
    EXPECT_THAT(plan_moves({}), IsEmpty());
}

TEST(Adoption, LeavesTreesThatTwoTransactionsClaim) {
    EXPECT_THAT(plan_moves({{kA, kT}, {{"U", "U"}, kA}}), IsEmpty());
}

}  // namespace
}  // namespace receiptd::storage
