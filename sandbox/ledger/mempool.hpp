// Transactions that wait for a chunk of their signer's shard, and the troubles requested for them.
#pragma once

#include "sandbox/ledger/records.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace receiptd::sandbox {

// How a transaction is to be lost (gateway.md §3).
enum class DropHow : std::uint8_t { expired, superseded, balance, forwarding };
const char* to_string(DropHow how);
std::optional<DropHow> parse_drop_how(std::string_view text);

struct PendingTransaction {
    TransactionPtr transaction;
    Height accepted_height = 0;  // the newest block when it came
};

class Mempool {
public:
    explicit Mempool(std::size_t shards) : pools_(shards) {}

    void add(std::size_t shard, PendingTransaction pending) { pools_[shard].push_back(std::move(pending)); }

    // Transactions in the order they came; those of one access key are sorted by nonce among their own
    // places. They stay until removed.
    std::vector<PendingTransaction> in_order(std::size_t shard) const;
    void remove(std::size_t shard, const std::unordered_set<CryptoHash, HashOfHash>& hashes);
    const PendingTransaction* find(std::size_t shard, const CryptoHash& hash) const;
    std::size_t size() const;
    // Each transaction goes to the pool of its signer's shard, among so many shards.
    void spread(std::size_t shards, const std::function<std::size_t(const std::string& signer_id)>& shard_of);

    // Wishes hold for a hash until they are forgotten, whether the transaction is there yet or not.
    void wish_drop(const CryptoHash& hash, DropHow how) { drops_[hash] = how; }
    std::optional<DropHow> drop_of(const CryptoHash& hash) const;
    void wish_delay(const CryptoHash& hash, std::uint64_t blocks) { delays_[hash] = blocks; }
    std::uint64_t delay_of(const CryptoHash& hash) const;
    void wish_include(const CryptoHash& hash) { included_anyway_.insert(hash); }
    void forget_wishes(const CryptoHash& hash);
    bool is_included_anyway(const CryptoHash& hash) const { return included_anyway_.contains(hash); }

private:
    std::vector<std::vector<PendingTransaction>> pools_;  // by shard, as they came
    std::unordered_map<CryptoHash, DropHow, HashOfHash> drops_;
    std::unordered_map<CryptoHash, std::uint64_t, HashOfHash> delays_;
    std::unordered_set<CryptoHash, HashOfHash> included_anyway_;
};

}  // namespace receiptd::sandbox
