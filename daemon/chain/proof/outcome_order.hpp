// The place of an outcome among those of its chunk, which is the order of execution: transactions first, then
// receipts. No array has a fixed order, but each outcome's Merkle path tells its place (encoding.md §7.2).
#pragma once

#include "chain/json/model.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace receiptd::chain {

// The place of a leaf in a tree over `leaves` of them, by its path; nullopt: no leaf there has such a path.
std::optional<std::size_t> place_in_tree(const ProofSides& sides, std::size_t leaves);

// The place of a leaf if its path alone tells it: the left half of a tree is full, so it does there. nullopt
// elsewhere, where the number of leaves decides, and without a path.
std::optional<std::size_t> place_by_path(const List<MerklePathItem>& path);

struct ExecutionOrder {
    std::vector<std::size_t> executed;  // indexes into shard.executed
    // The place of the first of them, the others follow; nullopt: the paths do not tell (old recordings have
    // none, and an answer may lack outcomes), and the order is that of the array.
    std::optional<std::size_t> first_place;
};
ExecutionOrder execution_order(const WholeBlockShard& shard);

}  // namespace receiptd::chain
