// Transactions, receipts and outcomes as JSON (chain-model.md §4, rpc.md §4.2, §5.3).
#pragma once

#include "sandbox/ledger/forest.hpp"

namespace receiptd::sandbox {

Json transaction_json(const TransactionRecord& transaction);
Json hashes_json(const std::vector<CryptoHash>& hashes);
Json receipt_json(const sim::Receipt& receipt);
Json proof_json(const chain::ProofPath& path);
Json outcome_json(const Execution& execution);
// {id, block_hash, proof, outcome}; `proof` leads to the root of its application's tree.
Json outcome_with_id_json(const Execution& execution, const CryptoHash& block_hash,
                          const chain::ProofPath& proof);

}  // namespace receiptd::sandbox
