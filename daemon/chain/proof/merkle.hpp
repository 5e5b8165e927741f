// Merkle trees of execution outcomes (encoding.md §7.1-7.3).
#pragma once

#include "base/u128.hpp"
#include "chain/wire/bytes.hpp"
#include "chain/wire/hash.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

namespace receiptd::chain {

// The parts of an outcome that its hash commits to. Views must outlive the call.
struct OutcomeCommitment {
    struct Unknown {};
    struct Failure {};  // the error itself is not committed
    using SuccessValue = Bytes;
    using SuccessReceiptId = CryptoHash;
    using Status = std::variant<Unknown, Failure, SuccessValue, SuccessReceiptId>;  // Borsh order

    CryptoHash id;  // transaction hash or receipt id
    std::vector<CryptoHash> receipt_ids;
    std::uint64_t gas_burnt = 0;
    base::u128 tokens_burnt = 0;
    std::string_view executor_id;
    Status status;
    std::vector<std::string_view> logs;  // as the contract wrote them: JSON-unescaped UTF-8
};

Bytes partial_outcome_borsh(const OutcomeCommitment& outcome);
// The leaf of the chunk's tree.
CryptoHash outcome_leaf(const OutcomeCommitment& outcome);

struct ProofStep {
    CryptoHash hash;    // of the sibling
    bool left = false;  // where the sibling stands
    friend bool operator==(const ProofStep&, const ProofStep&) = default;
};
using ProofPath = std::vector<ProofStep>;  // from the leaf up

struct MerkleTree {
    CryptoHash root;               // 32 zero bytes for no leaves
    std::vector<ProofPath> paths;  // one per leaf
};

// An odd last node is carried up unchanged, without a step in its path.
MerkleTree make_merkle_tree(std::span<const CryptoHash> leaves);
CryptoHash merkle_root(std::span<const CryptoHash> leaves);

// The root that `leaf` and its path lead to.
CryptoHash fold_path(const CryptoHash& leaf, const ProofPath& path);

// The tree behind a block header's outcome_root: over the outcome roots of all its chunk slots,
// repeated headers included.
MerkleTree make_block_outcome_tree(std::span<const CryptoHash> chunk_outcome_roots);

}  // namespace receiptd::chain
