// The answer of EXPERIMENTAL_light_client_proof: an outcome, and why it is the chain's (rpc.md §9).
#pragma once

#include "chain/json/decode.hpp"
#include "chain/proof/light_client.hpp"

#include <optional>
#include <string>

namespace receiptd::chain {

struct OutcomeProof {
    // Its block_hash is that of the later block whose chunk header carries the root, not of the one
    // that executed the receipt.
    Outcome outcome;
    List<MerklePathItem> outcome_root_path;
    List<MerklePathItem> block_path;
    struct Header {
        Text prev_block_hash;
        Text inner_rest_hash;
        BlockHeight height = 0;
        Text epoch_id;
        Text next_epoch_id;
        Text prev_state_root;
        Text outcome_root;
        std::uint64_t timestamp_nanosec = 0;
        Text next_bp_hash;
        Text block_merkle_root;
    } header;
};

DecodeResult<OutcomeProof> decode_outcome_proof_answer(std::string envelope);

// As check_light_client_proof() takes it; views into the proof. nullopt: something is no hash or no base64.
std::optional<LightClientProof> light_client_proof(const OutcomeProof& proof);

// The root of the chunk that the outcome is in (chunks.outcome_root of that later block).
CryptoHash chunk_outcome_root(const LightClientProof& proof);

}  // namespace receiptd::chain
