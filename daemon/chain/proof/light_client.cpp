#include "chain/proof/light_client.hpp"

#include "chain/wire/borsh.hpp"

namespace receiptd::chain {

Bytes inner_lite_borsh(const InnerLite& inner_lite) {
    Writer writer;
    writer.u64(inner_lite.height);
    writer.hash(inner_lite.epoch_id);
    writer.hash(inner_lite.next_epoch_id);
    writer.hash(inner_lite.prev_state_root);
    writer.hash(inner_lite.outcome_root);
    writer.u64(inner_lite.timestamp_nanosec);
    writer.hash(inner_lite.next_bp_hash);
    writer.hash(inner_lite.block_merkle_root);
    return writer.take();
}

CryptoHash block_hash(const LightHeader& header) {
    const CryptoHash inner = sha256_pair(sha256(inner_lite_borsh(header.inner_lite)), header.inner_rest_hash);
    return sha256_pair(inner, header.prev_block_hash);
}

ProofVerdict check_light_client_proof(const LightClientProof& proof,
                                      const std::optional<CryptoHash>& trusted_block_merkle_root) {
    const CryptoHash chunk_root = fold_path(outcome_leaf(proof.outcome), proof.outcome_path);
    const CryptoHash block_root = fold_path(sha256(chunk_root.view()), proof.outcome_root_path);
    if (block_root != proof.block_header_lite.inner_lite.outcome_root)
        return ProofVerdict::outcome_root_differs;
    const CryptoHash hash = block_hash(proof.block_header_lite);
    if (hash != proof.block_hash) return ProofVerdict::block_hash_differs;
    if (trusted_block_merkle_root && fold_path(hash, proof.block_path) != *trusted_block_merkle_root)
        return ProofVerdict::head_differs;
    return ProofVerdict::valid;
}

}  // namespace receiptd::chain
