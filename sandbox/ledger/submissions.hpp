// Every transaction that was handed in and what became of it before it had a tree.
#pragma once

#include "sandbox/ledger/mempool.hpp"

#include <deque>
#include <functional>
#include <memory>

namespace receiptd::sandbox {

enum class Fate : std::uint8_t {
    pending,            // in the mempool
    included,           // in a chunk
    rejected,           // invalid when it came
    forwarding_failed,  // never reached the mempool
    expired,            // its block_hash grew too old in the mempool
    dropped,            // lost from the mempool: superseded, balance, or no longer valid otherwise
};
const char* to_string(Fate fate);

struct Submission {
    TransactionPtr transaction;
    Height accepted_height = 0;  // the newest block when it came
    Fate fate = Fate::pending;
    Height fate_height = 0;  // of the block that included it, or that did not because of `evidence`
    // dropped: "superseded", "balance" or "invalid". Empty: nothing to add.
    std::string reason;
    std::shared_ptr<const Json> evidence;  // proof of the end: the InvalidTxError, the key's nonce, …
    std::optional<CryptoHash> helper;      // the ledger's own transaction that is to cause the loss
    bool by_ledger = false;                // made by the ledger to make a drop real
};

class Submissions {
public:
    // The submission with that hash, made if there is none.
    Submission& add(TransactionPtr transaction, Height accepted_height);
    Submission* find(const CryptoHash& hash);
    const Submission* find(const CryptoHash& hash) const;
    // The oldest ones are gone, up to one that `is_over` denies.
    void forget_while(const std::function<bool(const Submission&)>& is_over);
    // In the order they came.
    const std::deque<Submission>& all() const { return all_; }
    std::deque<Submission>& all() { return all_; }

private:
    std::deque<Submission> all_;
    std::unordered_map<CryptoHash, Submission*, HashOfHash> by_hash_;
};

}  // namespace receiptd::sandbox
