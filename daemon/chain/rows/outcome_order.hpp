// The order in which a shard executed the receipts of a whole block. The array that lists them has no fixed
// order, but each outcome's Merkle path tells its place (encoding.md §7.2).
#pragma once

#include "chain/json/model.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace receiptd::chain {

// The place of a leaf in a tree over `leaves` of them, by its path; nullopt: no leaf there has such a path.
std::optional<std::size_t> place_in_tree(const ProofSides& sides, std::size_t leaves);

// Indexes into shard.executed, in order of execution. Where the paths do not tell (old recordings have none,
// and an answer may lack outcomes) that of the array.
std::vector<std::size_t> execution_order(const WholeBlockShard& shard);

}  // namespace receiptd::chain
