// Limits and constants of protocol versions 84 to 86 (rpc.md §5.5, chain-model.md §8).
#pragma once

#include "sandbox/sim/model.hpp"

#include <cstdint>
#include <string_view>

namespace receiptd::sandbox::sim {

inline constexpr std::uint64_t kMaxTransactionBytes = 1'572'864;  // of the unsigned transaction
inline constexpr std::uint64_t kMaxActionsPerReceipt = 100;
inline constexpr std::uint64_t kMaxDeployActionsPerReceipt = 10;
inline constexpr Gas kMaxTotalPrepaidGas = 1'000'000'000'000'000;
inline constexpr std::uint64_t kMaxMethodNameBytes = 256;
inline constexpr std::uint64_t kMaxMethodNamesBytes = 2'000;  // of one key, each name plus one
inline constexpr std::uint64_t kMaxArgumentsBytes = 4'194'304;
inline constexpr std::uint64_t kMaxContractBytes = 4'194'304;
inline constexpr std::uint64_t kMaxStorageKeyBytes = 2'048;
inline constexpr std::uint64_t kMaxStorageValueBytes = 4'194'304;
inline constexpr std::uint16_t kMaxNoncesOfGasKey = 1'024;

// A nonce is below height x this; a new key's is (height - 1) x this.
inline constexpr std::uint64_t kNonceRange = 1'000'000;

inline constexpr u128 kOneToken = u128{1'000'000'000'000} * 1'000'000'000'000;  // 10^24 yoctoNEAR
inline constexpr u128 kStoragePricePerByte = 10'000'000'000'000'000'000U;       // 10^19 yoctoNEAR
inline constexpr std::uint64_t kFreeStorageBytes = 770;             // accounts of that size owe nothing
inline constexpr std::uint64_t kMaxDeletableStorageBytes = 10'000;  // without the contract
// Burnt, per byte of a global contract.
inline constexpr u128 kGlobalContractPricePerByte = kStoragePricePerByte * 10;
inline constexpr u128 kMaxBurntGasKeyBalance = kOneToken;
// The chain computes it from the seats of an epoch; here it is fixed.
inline constexpr u128 kMinimumStake = 1'000 * kOneToken;

// Stands for the wallet contract of "0x…" accounts, which is a global contract of the network.
inline constexpr std::string_view kEthWalletCode = "receiptd-sandbox native contract: Ethereum wallet";

inline constexpr const char* kRegistrar = "registrar";
inline constexpr std::size_t kMinTopLevelAccountBytes = 65;

}  // namespace receiptd::sandbox::sim
