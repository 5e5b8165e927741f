#include "sandbox/ledger/merkle_log.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace receiptd::sandbox {
namespace {

std::vector<chain::CryptoHash> make_leaves(std::size_t count) {
    std::vector<chain::CryptoHash> leaves;
    for (std::size_t i = 0; i < count; ++i)
        leaves.push_back(chain::sha256(chain::bytes_of(std::to_string(i))));
    return leaves;
}

TEST(MerkleLog, HasTheRootAndPathsOfThePlainTreeAtEverySizeItEverHad) {
    constexpr std::size_t kMost = 40;
    const std::vector<chain::CryptoHash> leaves = make_leaves(kMost);
    MerkleLog log;
    for (const chain::CryptoHash& leaf : leaves) log.append(leaf);
    for (std::size_t count = 0; count <= kMost; ++count) {
        const chain::MerkleTree tree = chain::make_merkle_tree(std::span(leaves).first(count));
        EXPECT_EQ(log.root(count), tree.root);
        for (std::size_t i = 0; i < count; ++i)
            EXPECT_EQ(log.path(i, count), tree.paths[i]) << i << " of " << count;
    }
}

TEST(MerkleLog, GrowsAnewFromWhereItWasCut) {
    const std::vector<chain::CryptoHash> leaves = make_leaves(33);
    for (std::size_t kept = 0; kept <= leaves.size(); ++kept) {
        MerkleLog log;
        for (const chain::CryptoHash& leaf : leaves) log.append(leaf);
        log.cut_to(kept);
        EXPECT_EQ(log.size(), kept);
        std::vector<chain::CryptoHash> other(leaves.begin(),
                                             leaves.begin() + static_cast<std::ptrdiff_t>(kept));
        for (std::size_t i = 0; i < 5; ++i) {
            other.push_back(chain::sha256(leaves[i].view()));
            log.append(other.back());
        }
        const chain::MerkleTree tree = chain::make_merkle_tree(other);
        EXPECT_EQ(log.root(), tree.root) << kept;
        EXPECT_EQ(log.path(kept), tree.paths[kept]) << kept;
    }
}

TEST(MerkleLog, HasTheRootsAndPathsOfWhatIsNotForgotten) {
    constexpr std::size_t kMost = 40;
    const std::vector<chain::CryptoHash> leaves = make_leaves(kMost);
    for (std::size_t forgotten = 0; forgotten <= kMost; ++forgotten) {
        MerkleLog log;
        for (std::size_t i = 0; i < kMost; ++i) {
            log.append(leaves[i]);
            if (i + 1 >= forgotten / 2) log.forget_below(std::min(forgotten, i + 1));
        }
        EXPECT_EQ(log.size(), kMost);
        for (std::size_t count = forgotten; count <= kMost; ++count) {
            const chain::MerkleTree tree = chain::make_merkle_tree(std::span(leaves).first(count));
            EXPECT_EQ(log.root(count), tree.root) << forgotten;
            for (std::size_t i = forgotten; i < count; ++i) EXPECT_EQ(log.path(i, count), tree.paths[i]) << i;
        }
    }
}

TEST(MerkleLog, WithoutLeavesHasTheZeroRoot) { EXPECT_EQ(MerkleLog().root(), chain::CryptoHash{}); }

}  // namespace
}  // namespace receiptd::sandbox
