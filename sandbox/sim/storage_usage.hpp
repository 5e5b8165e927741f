// How many bytes of storage an account is charged for its records (chain-model.md §6.4, nearcore's
// storage_usage_config).
#pragma once

#include "sandbox/sim/state_changes.hpp"

#include <string_view>

namespace receiptd::sandbox::sim {

inline constexpr std::uint64_t kAccountBytes = 100;
inline constexpr std::uint64_t kRecordBytes = 40;  // of each key and each contract datum, beyond its content

// Borsh of the public key and of the access key; a gas key also pays for the records of its nonces.
// An ML-DSA key counts as its handle of 33 bytes.
std::uint64_t key_storage(const PublicKey& key, const wire::AccessKey& access_key);
std::uint64_t data_storage(std::string_view key, std::string_view value);
// Storage of the reference that an account keeps if it uses a global contract.
std::uint64_t contract_id_storage(const wire::GlobalContractId& contract);

// The balance (amount and locked) that the account lacks to pay for its storage; nullopt: none. Accounts of
// at most kFreeStorageBytes owe nothing (NEP-448).
std::optional<u128> storage_shortfall(const Account& account);

}  // namespace receiptd::sandbox::sim
