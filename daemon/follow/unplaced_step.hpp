// Decides the next step for a receipt that touches a followed account and whose tree is not stored yet. Pure.
#pragma once

#include "chain/rows/rows.hpp"
#include "storage/block_store.hpp"
#include "storage/unplaced_store.hpp"

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace receiptd::follow {

enum class UnplacedStep {
    wait,             // a tree that is being fetched may bring it
    ask_transaction,  // whose it is
    want_outcome,     // nobody can tell whose it is
    ask_outcome,
};
struct UnplacedWorld {
    bool can_ask = true;              // hosts take the question for a receipt's transaction
    std::uint64_t pending_trees = 0;  // of whatever transactions: where many wait, each waits longer
};
UnplacedStep next_step(const storage::UnplacedReceipt& unplaced, const UnplacedWorld& world);

// Before the question is asked again; nullopt: often enough.
std::optional<std::chrono::milliseconds> pause_before_transaction(unsigned attempts);
std::optional<std::chrono::milliseconds> pause_before_outcome(unsigned attempts);

// Among receipts with one signer only the first may ask, and none may while one of `asking` asks: its
// tree may hold the others. Refunds of deposits name no signer, and each of them asks.
std::vector<bool> may_ask_together(const std::vector<storage::UnplacedReceipt>& due,
                                   std::set<std::string> asking = {});

// A transaction in scope whose block is wanted and not stored: the block will bring it.
bool block_will_bring(const chain::Scope& scope, const chain::SignedTransaction& transaction,
                      base::Height included_at, const storage::Coverage& coverage);

// Every receipt that the answer names.
std::vector<std::string> receipts_named(const chain::TransactionStatus& status);

}  // namespace receiptd::follow
