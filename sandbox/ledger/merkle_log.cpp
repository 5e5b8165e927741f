#include "sandbox/ledger/merkle_log.hpp"

namespace receiptd::sandbox {

using chain::CryptoHash;

void MerkleLog::append(const CryptoHash& leaf) {
    CryptoHash full = leaf;
    for (std::size_t level = 0;; ++level) {
        if (level == levels_.size()) levels_.emplace_back();
        levels_[level].push_back(full);
        const std::size_t count = levels_[level].size();
        if (count % 2 != 0) return;
        full = chain::sha256_pair(levels_[level][count - 2], levels_[level][count - 1]);
    }
}

void MerkleLog::cut_to(std::size_t count) {
    for (std::size_t level = 0; level < levels_.size(); ++level) levels_[level].resize(count >> level);
}

void MerkleLog::Level::forget_below(std::size_t index) {
    if (index <= forgotten_) return;
    hashes_.erase(hashes_.begin(), hashes_.begin() + static_cast<std::ptrdiff_t>(index - forgotten_));
    forgotten_ = index;
}

// Paths go through the left neighbours of what is kept.
void MerkleLog::forget_below(std::size_t count) {
    for (std::size_t level = 0; level < levels_.size(); ++level)
        levels_[level].forget_below((count >> level) / 2 * 2);
}

// The node at that place in the tree over the first `count` hashes. Where it is not full, the odd
// last node of the level below was carried up.
CryptoHash MerkleLog::node(std::size_t level, std::size_t index, std::size_t count) const {
    if ((index + 1) << level <= count) return levels_[level][index];
    const std::size_t left = index * 2;
    if ((left + 1) << (level - 1) >= count) return node(level - 1, left, count);
    return chain::sha256_pair(node(level - 1, left, count), node(level - 1, left + 1, count));
}

CryptoHash MerkleLog::root(std::size_t count) const {
    if (count == 0) return {};
    std::size_t level = 0;
    while ((std::size_t{1} << level) < count) ++level;
    return node(level, 0, count);
}

chain::ProofPath MerkleLog::path(std::size_t index, std::size_t count) const {
    chain::ProofPath steps;
    for (std::size_t level = 0; (std::size_t{1} << level) < count; ++level) {
        const std::size_t place = index >> level;
        const std::size_t sibling = place ^ 1;
        if (sibling << level >= count) continue;  // carried up
        steps.push_back({node(level, sibling, count), sibling < place});
    }
    return steps;
}

}  // namespace receiptd::sandbox
