// Hashes of chunks and blocks (encoding.md §6), and the bytes behind their roots.
#pragma once

#include "sandbox/ledger/records.hpp"

#include <span>

namespace receiptd::sandbox {

// nearcore's Borsh of a receipt; clients only ever see the hashes of it.
chain::Bytes receipt_borsh(const sim::Receipt& receipt);

// Fills in tx_root, outgoing_receipts_root, the encoded_ members and hash from everything else.
void seal_chunk(ChunkRecord& chunk);

// Fills in the roots over the chunks and the hash; `next_bp_hash`, epochs and everything else must be there.
void seal_block(BlockRecord& block);

// By shard, a bitmap of the validators that endorse its new chunk: all of them. Empty where the chunk is
// missing.
std::vector<chain::Bytes> chunk_endorsements(const BlockRecord& block);

// The parts of an outcome that its hash commits to; the views point into the outcome.
chain::OutcomeCommitment commitment_of(const sim::Outcome& outcome);
// The leaf of its application's tree.
CryptoHash outcome_leaf(const sim::Outcome& outcome);

}  // namespace receiptd::sandbox
