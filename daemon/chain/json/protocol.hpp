// Assumptions about the protocol where no host is asked, each with its source. Everything else that a
// verdict or a check rests on is told with the transaction itself, or asked: how long a transaction is valid
// (genesis configuration and `EXPERIMENTAL_protocol_config`, rpc/submit_source.hpp), what a tree may have
// (rpc/tree_limits.hpp), shard layouts (rpc/shard_layouts.hpp).
#pragma once

#include "base/u128.hpp"

#include <cstddef>
#include <cstdint>

namespace receiptd::chain::protocol {

// transaction_validity_period of mainnet and testnet; where no host tells it (chain-model.md §6.1).
inline constexpr std::uint64_t kValidityBlocks = 86'400;

// A nonce lies below the height of its block times this; a key that is added begins there (chain-model.md
// §6.4).
inline constexpr std::uint64_t kNoncesOfAHeight = 1'000'000;

// yoctoNEAR, of mainnet and testnet: the least price at which gas is bought (chain-model.md §5.1).
inline constexpr base::u128 kLeastGasPrice = 1'000'000'000;

// As of version 86 (chain-model.md §11.2): the gas of one transaction pays for fewer receipts, and a receipt
// awaits no more (max_number_input_data_dependencies).
inline constexpr std::size_t kReceiptsOfATree = 10'000;
inline constexpr std::size_t kInputsOfAReceipt = 128;

// In these versions a transaction that turned out invalid when its chunk was applied was dropped without an
// outcome (chain-model.md §11).
inline constexpr int kInvalidDroppedFrom = 74;
inline constexpr int kInvalidDroppedTo = 82;

}  // namespace receiptd::chain::protocol
