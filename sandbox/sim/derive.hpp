// Identifiers that follow from others (encoding.md §5). `height` is always that of the block in
// whose application the object is created.
#pragma once

#include "chain/wire/hash.hpp"

#include <cstdint>

namespace receiptd::sandbox::sim {

// SHA-256(base ‖ u64le(height) ‖ u64le(salt)), the rule behind all of them. A receipt made when a
// yield times out has the yield's data id as base and a running index as salt.
chain::CryptoHash derive_id(const chain::CryptoHash& base, std::uint64_t height, std::uint64_t salt);
// The rule of old protocol versions, with the block's hash instead of its height.
chain::CryptoHash derive_id_by_block_hash(const chain::CryptoHash& base, const chain::CryptoHash& block_hash,
                                          std::uint64_t salt);

chain::CryptoHash initial_receipt_id(const chain::CryptoHash& transaction_hash, std::uint64_t height);
// `index` counts all new receipts of the parent: made by actions, deposit refund, gas refund, data.
chain::CryptoHash child_receipt_id(const chain::CryptoHash& parent_receipt_id, std::uint64_t height,
                                   std::uint64_t index);
chain::CryptoHash action_hash(const chain::CryptoHash& receipt_id, std::uint64_t height,
                              std::uint64_t action_index);
// `index` counts the data ids created within that action.
chain::CryptoHash data_id(const chain::CryptoHash& action_hash, std::uint64_t height, std::uint64_t index);
// The random seed that a contract sees; `random_value` is that of the block.
chain::CryptoHash random_seed(const chain::CryptoHash& action_hash, const chain::CryptoHash& random_value);

}  // namespace receiptd::sandbox::sim
