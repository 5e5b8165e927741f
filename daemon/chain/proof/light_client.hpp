// Block hashes and light-client proofs (encoding.md §6, §7.4).
#pragma once

#include "chain/proof/merkle.hpp"
#include "chain/wire/hash.hpp"

#include <cstdint>
#include <optional>

namespace receiptd::chain {

struct InnerLite {
    std::uint64_t height = 0;
    CryptoHash epoch_id;
    CryptoHash next_epoch_id;
    CryptoHash prev_state_root;
    CryptoHash outcome_root;
    std::uint64_t timestamp_nanosec = 0;
    CryptoHash next_bp_hash;
    CryptoHash block_merkle_root;
};

// The parts of a header that a light client keeps: enough to recompute the block's hash.
struct LightHeader {
    InnerLite inner_lite;
    CryptoHash inner_rest_hash;
    CryptoHash prev_block_hash;
};

Bytes inner_lite_borsh(const InnerLite& inner_lite);  // 208 bytes
CryptoHash block_hash(const LightHeader& header);

// The answer of EXPERIMENTAL_light_client_proof.
struct LightClientProof {
    OutcomeCommitment outcome;
    CryptoHash block_hash;        // outcome_proof.block_hash
    ProofPath outcome_path;       // outcome_proof.proof: to the chunk's root
    ProofPath outcome_root_path;  // outcome_root_proof: to the block's root
    LightHeader block_header_lite;
    ProofPath block_path;  // block_proof: to the trusted head's block_merkle_root
};

enum class ProofVerdict : std::uint8_t {
    valid,
    outcome_root_differs,  // the outcome is not in that block
    block_hash_differs,    // the header is not that block's
    head_differs,          // the block is not below the trusted head
};

// Without a trusted root (nullopt) only the first three steps are checked: that the block holds the
// outcome, not that the block is on the chain.
ProofVerdict check_light_client_proof(const LightClientProof& proof,
                                      const std::optional<CryptoHash>& trusted_block_merkle_root);

}  // namespace receiptd::chain
