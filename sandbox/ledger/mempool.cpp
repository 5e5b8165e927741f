#include "sandbox/ledger/mempool.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace receiptd::sandbox {

namespace {

constexpr std::array<std::pair<DropHow, std::string_view>, 4> kDropNames = {
    {{DropHow::expired, "expired"},
     {DropHow::superseded, "superseded"},
     {DropHow::balance, "balance"},
     {DropHow::forwarding, "forwarding"}}};

// Whose nonces a transaction's is one of: an access key's, or those of an index of a gas key.
using NonceOwner = std::tuple<std::string, std::string, std::optional<std::uint16_t>>;
NonceOwner nonce_owner(const PendingTransaction& pending) {
    const sim::wire::Transaction& body = pending.transaction->body();
    return {body.signer_id, std::string(chain::text_of(body.public_key.raw())), body.nonce.nonce_index};
}

}  // namespace

const char* to_string(DropHow how) {
    for (const auto& [value, name] : kDropNames) {
        if (value == how) return name.data();
    }
    return "";
}

std::optional<DropHow> parse_drop_how(std::string_view text) {
    for (const auto& [value, name] : kDropNames) {
        if (name == text) return value;
    }
    return std::nullopt;
}

std::vector<PendingTransaction> Mempool::in_order(std::size_t shard) const {
    std::vector<PendingTransaction> ordered = pools_[shard];
    std::map<NonceOwner, std::vector<std::size_t>> places;
    for (std::size_t i = 0; i < ordered.size(); ++i) places[nonce_owner(ordered[i])].push_back(i);
    const std::vector<PendingTransaction>& came = pools_[shard];
    for (const auto& [key, at] : places) {
        std::vector<std::size_t> by_nonce = at;
        std::stable_sort(by_nonce.begin(), by_nonce.end(), [&](std::size_t left, std::size_t right) {
            return came[left].transaction->body().nonce.nonce < came[right].transaction->body().nonce.nonce;
        });
        for (std::size_t i = 0; i < at.size(); ++i) ordered[at[i]] = came[by_nonce[i]];
    }
    return ordered;
}

void Mempool::remove(std::size_t shard, const std::unordered_set<CryptoHash, HashOfHash>& hashes) {
    std::erase_if(pools_[shard],
                  [&](const auto& pending) { return hashes.contains(pending.transaction->hash); });
}

const PendingTransaction* Mempool::find(std::size_t shard, const CryptoHash& hash) const {
    const auto found = std::find_if(pools_[shard].begin(), pools_[shard].end(),
                                    [&](const auto& pending) { return pending.transaction->hash == hash; });
    return found == pools_[shard].end() ? nullptr : &*found;
}

std::size_t Mempool::size() const {
    std::size_t all = 0;
    for (const auto& pool : pools_) all += pool.size();
    return all;
}

void Mempool::spread(std::size_t shards,
                     const std::function<std::size_t(const std::string& signer_id)>& shard_of) {
    const auto before = std::exchange(pools_, std::vector<std::vector<PendingTransaction>>(shards));
    for (const auto& pool : before) {
        for (const PendingTransaction& pending : pool)
            add(shard_of(pending.transaction->body().signer_id), pending);
    }
}

std::optional<DropHow> Mempool::drop_of(const CryptoHash& hash) const {
    const auto found = drops_.find(hash);
    return found == drops_.end() ? std::nullopt : std::optional(found->second);
}

std::uint64_t Mempool::delay_of(const CryptoHash& hash) const {
    const auto found = delays_.find(hash);
    return found == delays_.end() ? 0 : found->second;
}

void Mempool::forget_wishes(const CryptoHash& hash) {
    drops_.erase(hash);
    delays_.erase(hash);
    included_anyway_.erase(hash);
}

}  // namespace receiptd::sandbox
