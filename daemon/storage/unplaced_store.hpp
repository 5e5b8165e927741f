// Receipts that touch a followed account and wait for their tree (source rpc, scope accounts).
#pragma once

#include "base/height_set.hpp"
#include "base/task.hpp"
#include "chain/rows/rows.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::storage {

struct UnplacedReceipt {
    chain::ListedReceipt receipt;
    bool wants_outcome = false;  // nobody can tell its transaction: its outcome is asked for
    unsigned attempts = 0;       // in vain
    std::chrono::milliseconds age{0};
    bool signer_pending = false;  // a tree of its signer is being fetched: it may be its own
    bool tree_pending = false;    // its transaction was told, and the tree is being fetched
};

struct UnplacedRound {
    std::vector<UnplacedReceipt> due;
    // Receipts that came with a tree meanwhile and are no longer waiting: before a host was asked, and after.
    std::uint64_t came = 0;
    std::uint64_t came_when_asked = 0;
};

struct FoundTransaction {
    std::string tx_hash;
    base::Height height = 0;  // of the block that includes it
    std::uint64_t timestamp_nanosec = 0;
    chain::RowBatch rows;                  // stored unless the transaction is; empty: its block will bring it
    std::string asked_for;                 // the receipt; empty: it was found without one
    std::vector<std::string> receipt_ids;  // known to be of its tree
};

class UnplacedStore {
public:
    virtual ~UnplacedStore() = default;

    // Receipts that are due; they are not due again for some seconds.
    virtual base::Task<UnplacedRound> due_unplaced(unsigned limit) = 0;
    // Listed in these heights and not placed yet.
    virtual base::Task<std::uint64_t> unplaced_count(base::HeightRange listed_in) = 0;
    // `in_vain`: counts as an attempt.
    virtual base::Task<void> postpone_unplaced(std::string receipt_id, std::chrono::milliseconds delay,
                                               bool in_vain, std::string reason) = 0;
    // Its tree will be fetched, and the receipts known to be of it need not ask.
    virtual base::Task<void> place(FoundTransaction found) = 0;
    virtual base::Task<void> want_outcome(std::string receipt_id, std::string reason) = 0;
    // The rows of a receipt that stays an orphan.
    virtual base::Task<void> store_orphan(std::string receipt_id, chain::RowBatch rows) = 0;

    // The block that executed the chunk whose outcomes have this root, as the chunk header in the block above
    // says; nullopt if stored blocks do not tell.
    virtual base::Task<std::optional<chain::ExecutedAt>> executed_at(std::string block_hash,
                                                                     std::string outcome_root) = 0;
};

}  // namespace receiptd::storage
