// Reads the receipts that carry a global contract from shard to shard (chain-model.md §6.6).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace receiptd::chain {

struct ContractDistribution {
    std::string contract_hash;        // of its code, base58; empty: an account stands for it
    std::string contract_account_id;  // empty: its hash does
    std::string code;                 // SHA-256 of the code, base64, as in actions
    std::uint64_t target_shard = 0;
    std::uint64_t delivered = 0;         // shards that have it already
    std::optional<std::uint64_t> nonce;  // counts the deployments of a contract; older nodes do not tell it
};

// From a receipt's member `receipt`; nullopt where it says something else or cannot be understood. Never
// throws for any input. Thread-safe.
std::optional<ContractDistribution> contract_distribution(std::string_view receipt_json);

}  // namespace receiptd::chain
