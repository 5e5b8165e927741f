// Says what became of the money when something failed, for the first line of a message. Pure.
#pragma once

#include "chain/tree/receipt_tree.hpp"
#include "storage/watch_store.hpp"

#include <string>
#include <vector>

namespace receiptd::alert {

// "5 NEAR came back to alice.near": deposits that the chain refunded as these receipts failed, and tokens
// that came back or did not. Parts are joined by "; ". Empty: there is nothing to tell. One yoctoNEAR is no
// money: it is attached as a proof that a full key signed.
std::string money_of_failures(const storage::StoredTree& parts, const chain::Judgement& tree,
                              const std::vector<std::string>& receipt_ids);

// The same of a whole tree that has its verdict; of one that succeeded what the transaction sent.
std::string money_of_end(const storage::StoredTree& parts, const chain::Judgement& tree);

}  // namespace receiptd::alert
