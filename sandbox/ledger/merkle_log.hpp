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
    // From now on only roots of at least `count` leaves are asked for, and only paths from leaves behind
    // those.
    void forget_below(std::size_t count);
    std::size_t size() const { return levels_.empty() ? 0 : levels_.front().size(); }

    chain::CryptoHash root() const { return root(size()); }
    chain::ProofPath path(std::size_t index) const { return path(index, size()); }
    const chain::CryptoHash& leaf(std::size_t index) const { return levels_.front()[index]; }
    // The root of the tree over the first `count` leaves; equals chain::merkle_root() of them, in O(log n).
    chain::CryptoHash root(std::size_t count) const;
    // From the leaf `index` to root(count); index < count <= size().
    chain::ProofPath path(std::size_t index, std::size_t count) const;

private:
    class Level {
    public:
        void push_back(const chain::CryptoHash& hash) { hashes_.push_back(hash); }
        void resize(std::size_t size) { hashes_.resize(size - forgotten_); }
        void forget_below(std::size_t index);
        std::size_t size() const { return forgotten_ + hashes_.size(); }
        const chain::CryptoHash& operator[](std::size_t index) const { return hashes_[index - forgotten_]; }

    private:
        std::size_t forgotten_ = 0;
        std::vector<chain::CryptoHash> hashes_;  // behind those that were forgotten
    };

    chain::CryptoHash node(std::size_t level, std::size_t index, std::size_t count) const;

    // levels_[k][i]: the node over the hashes [i·2^k, (i+1)·2^k), once all of them are there.
    std::vector<Level> levels_;
};

}  // namespace receiptd::sandbox
