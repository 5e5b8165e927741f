#include "chain/proof/outcome_order.hpp"

#include "chain/proof/merkle.hpp"

#include <gmock/gmock.h>

namespace receiptd::chain {
namespace {

using ::testing::ElementsAre;

ProofSides sides_of(const ProofPath& path) {
    ProofSides sides;
    for (const ProofStep& step : path) sides.left |= std::uint64_t{step.left} << sides.steps++;
    return sides;
}

std::vector<ProofPath> paths_over(std::size_t leaves) {
    return make_merkle_tree(std::vector<CryptoHash>(leaves)).paths;
}

TEST(PlaceInTree, IsThatOfTheLeafWhosePathItIs) {
    for (std::size_t leaves = 1; leaves <= 70; ++leaves) {
        const auto paths = paths_over(leaves);
        for (std::size_t i = 0; i < leaves; ++i)
            EXPECT_EQ(place_in_tree(sides_of(paths[i]), leaves), i) << "of " << leaves;
    }
}

TEST(PlaceInTree, IsNoneForAPathOfAnotherTree) {
    EXPECT_EQ(place_in_tree({}, 0), std::nullopt);
    EXPECT_EQ(place_in_tree({}, 2), std::nullopt) << "too short";
    EXPECT_EQ(place_in_tree({0, 1}, 1), std::nullopt) << "too long";
    EXPECT_EQ(place_in_tree({0, 64}, 5), std::nullopt);
    EXPECT_EQ(place_in_tree({3, 2}, 3), std::nullopt) << "the last of three leaves is carried up once";
}

TEST(PlaceByPath, IsProvenInTheLeftHalfOfATreeOnly) {
    for (std::size_t leaves = 2; leaves <= 70; ++leaves) {
        std::size_t left_half = 1;
        while (left_half * 2 < leaves) left_half *= 2;
        const auto paths = paths_over(leaves);
        for (std::size_t i = 0; i < leaves; ++i) {
            List<MerklePathItem> told;
            for (const auto& step : paths[i]) told.push_back({"hash", step.left});
            EXPECT_EQ(place_by_path(told), i < left_half ? std::optional(i) : std::nullopt)
                << "of " << leaves;
        }
    }
    EXPECT_EQ(place_by_path({}), std::nullopt) << "no path";
    EXPECT_EQ(place_by_path(List<MerklePathItem>(65)), std::nullopt) << "no tree is that high";
}

// A shard that converted one transaction and executed three receipts.
struct Shard {
    Shard() : paths(paths_over(4)) {
        block.transactions.emplace_back().outcome.emplace().sides = sides_of(paths[0]);
        for (std::size_t i = 0; i < 3; ++i)
            block.executed.emplace_back().outcome.sides = sides_of(paths[i + 1]);
    }
    std::vector<ProofPath> paths;
    WholeBlockShard block;
};

TEST(ExecutionOrder, IsThatOfTheTree) {
    Shard shard;
    EXPECT_THAT(execution_order(shard.block).executed, ElementsAre(0, 1, 2));
    EXPECT_EQ(execution_order(shard.block).first_place, 1u) << "after the transaction's";
    std::swap(shard.block.executed[0], shard.block.executed[2]);
    EXPECT_THAT(execution_order(shard.block).executed, ElementsAre(2, 1, 0));
}

TEST(ExecutionOrder, IsThatOfTheArrayWhereThePathsDoNotTell) {
    Shard none;
    for (auto& item : none.block.executed) item.outcome.sides = {};
    EXPECT_THAT(execution_order(none.block).executed, ElementsAre(0, 1, 2));
    EXPECT_EQ(execution_order(none.block).first_place, std::nullopt);
    Shard twice;
    twice.block.executed[2].outcome.sides = twice.block.executed[1].outcome.sides;
    EXPECT_THAT(execution_order(twice.block).executed, ElementsAre(0, 1, 2));
    Shard lacking;
    lacking.block.executed.erase(lacking.block.executed.begin());
    EXPECT_THAT(execution_order(lacking.block).executed, ElementsAre(0, 1));
    Shard as_transaction;
    as_transaction.block.executed[0].outcome.sides = sides_of(as_transaction.paths[0]);
    EXPECT_THAT(execution_order(as_transaction.block).executed, ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace receiptd::chain
