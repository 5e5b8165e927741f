// Identifiers that follow from others (encoding.md §5). `height` is always that of the block in
// whose application the object is created.
#pragma once

#include "chain/wire/hash.hpp"

#include <cstdint>

namespace receiptd::chain {

// SHA-256(base ‖ u64le(height) ‖ u64le(salt)), the rule behind all of them. A receipt made when a
// yield times out has the yield's data id as base and a running index as salt.
CryptoHash derive_id(const CryptoHash& base, std::uint64_t height, std::uint64_t salt);
// The rule of old protocol versions, with the block's hash instead of its height.
CryptoHash derive_id_by_block_hash(const CryptoHash& base, const CryptoHash& block_hash, std::uint64_t salt);

CryptoHash initial_receipt_id(const CryptoHash& transaction_hash, std::uint64_t height);
// `index` counts all new receipts of the parent: made by actions, deposit refund, gas refund, data.
CryptoHash child_receipt_id(const CryptoHash& parent_receipt_id, std::uint64_t height, std::uint64_t index);
CryptoHash action_hash(const CryptoHash& receipt_id, std::uint64_t height, std::uint64_t action_index);
// `index` counts the data ids created within that action.
CryptoHash data_id(const CryptoHash& action_hash, std::uint64_t height, std::uint64_t index);
// What a contract sees as random seed; `random_value` is that of the block.
CryptoHash random_seed(const CryptoHash& action_hash, const CryptoHash& random_value);

}  // namespace receiptd::chain
