// Decides which trees become one when orphans find their parents. Pure.
#pragma once

#include "base/height_set.hpp"
#include "chain/tree/facts.hpp"

#include <string>
#include <vector>

namespace receiptd::storage {

using chain::kSeamReach;

// A tree as its rows name it.
struct TreeName {
    std::string tree_id;
    std::string tx_hash;  // empty while the transaction is unknown
    friend bool operator==(const TreeName&, const TreeName&) = default;
};

// The parent of an orphan was found: the orphan's tree is part of the parent's.
struct TreeLink {
    TreeName orphan;
    TreeName parent;
};

struct TreeMove {
    std::string from;
    TreeName to;
    friend bool operator==(const TreeMove&, const TreeMove&) = default;
};

// The moves that give every set of linked trees one name: that of its transaction if it is known on any
// side, else that of the tree which is nobody's child. The same for any order of links; ordered by `from`.
std::vector<TreeMove> plan_moves(const std::vector<TreeLink>& links);

}  // namespace receiptd::storage
