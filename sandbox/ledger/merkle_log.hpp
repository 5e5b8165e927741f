// A Merkle tree that grows leaf by leaf and can be asked for the root and the paths of any of its past
// sizes: over all block hashes (a header's block_merkle_root, encoding.md §7.4), and over the outcomes
// of a chunk (§7.2).
#pragma once

#include "chain/proof/merkle.hpp"

#include <cstddef>
#include <vector>

namespace receiptd::sandbox {

class MerkleLog {
public:
    void append(const chain::CryptoHash& leaf);
    // Only the first `count` leaves stay.
    void cut_to(std::size_t count);
    std::size_t size() const { return levels_.empty() ? 0 : levels_.front().size(); }

    chain::CryptoHash root() const { return root(size()); }
    chain::ProofPath path(std::size_t index) const { return path(index, size()); }
    const chain::CryptoHash& leaf(std::size_t index) const { return levels_.front()[index]; }
    // The root of the tree over the first `count` leaves; equals chain::merkle_root() of them, in O(log n).
    chain::CryptoHash root(std::size_t count) const;
    // From the leaf `index` to root(count); index < count <= size().
    chain::ProofPath path(std::size_t index, std::size_t count) const;

private:
    chain::CryptoHash node(std::size_t level, std::size_t index, std::size_t count) const;

    // levels_[k][i]: the node over the hashes [i·2^k, (i+1)·2^k), once all of them are there.
    std::vector<std::vector<chain::CryptoHash>> levels_;
};

}  // namespace receiptd::sandbox
