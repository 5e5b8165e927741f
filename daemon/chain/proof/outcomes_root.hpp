// Merkle roots of outcomes as a host tells them. The chain has such a root in the header of the shard's next
// new chunk (proofs.md §1): where both are equal, the outcomes are the chain's.
#pragma once

#include "chain/json/model.hpp"
#include "chain/proof/merkle.hpp"

#include <optional>

namespace receiptd::chain {

// Views into the outcome. nullopt: something in it is no hash or no base64.
std::optional<OutcomeCommitment> commitment(const Outcome& outcome);
std::optional<ProofPath> proof_path(const List<MerklePathItem>& items);

// Whether the block's hash was recomputed from its header, and the header has the roots of these chunk
// headers: outcome roots and heights of inclusion.
bool covers_chunks(const Block& block);

// The root that one outcome leads to by its path.
std::optional<CryptoHash> root_by_path(const Outcome& outcome);

// The root of all outcomes of a shard in a whole block. About 7 SHA-256 compressions for each outcome.
std::optional<CryptoHash> outcomes_root(const WholeBlockShard& shard);

}  // namespace receiptd::chain
