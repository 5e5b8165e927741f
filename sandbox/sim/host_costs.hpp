// Gas costs of the host's functions: the larger of nearcore's parameters (PV84), so that calls burn about as
// much as on the chain. Costs of sending and executing actions are in fees.hpp.
#pragma once

#include "sandbox/sim/model.hpp"

namespace receiptd::sandbox::sim {

// The cost for a contract of 100 kB: the native contracts stand for code of about that size.
inline constexpr Gas kContractLoading = 35'445'963 + 100'000 * Gas{1'089'295};
inline constexpr Gas kLogBase = 3'543'313'050;
inline constexpr Gas kLogByte = 13'198'791;
inline constexpr Gas kStorageReadBase = 56'356'845'749;
inline constexpr Gas kStorageReadKeyByte = 30'952'533;
inline constexpr Gas kStorageReadValueByte = 5'611'004;
inline constexpr Gas kStorageWriteBase = 64'196'736'000;
inline constexpr Gas kStorageWriteKeyByte = 70'482'867;
inline constexpr Gas kStorageWriteValueByte = 31'018'539;
inline constexpr Gas kStorageRemoveBase = 53'473'030'500;
inline constexpr Gas kStorageRemoveKeyByte = 38'220'384;
inline constexpr Gas kPromiseAndBase = 1'465'013'400;
inline constexpr Gas kPromiseAndPerPromise = 8 * Gas{5'452'176};  // per byte of its index
inline constexpr Gas kPromiseReturn = 560'152'386;
inline constexpr Gas kYieldCreateBase = 153'411'779'276;
inline constexpr Gas kYieldCreateByte = 15'643'988;
inline constexpr Gas kYieldResumeBase = 1'195'627'285'210;
inline constexpr Gas kYieldResumeByte = 47'683'715;

// Limits (rpc.md §5.5, near-vm-logic's LimitConfig).
inline constexpr Gas kMaxGasBurnt = 1000 * Gas{1'000'000'000'000};
inline constexpr Gas kMaxGasBurntInView = 300 * Gas{1'000'000'000'000};
inline constexpr std::size_t kMaxLogs = 100;
inline constexpr std::size_t kMaxTotalLogLength = 16384;
inline constexpr std::size_t kMaxPromises = 1024;
inline constexpr std::size_t kMaxInputDataDependencies = 128;
inline constexpr std::size_t kMaxReturnedValue = 4194304;
inline constexpr std::size_t kMaxContractSize = 4194304;
inline constexpr std::size_t kMaxStorageKey = 2048;
inline constexpr std::size_t kMaxStorageValue = 4194304;
inline constexpr std::size_t kMaxYieldPayload = 1024;

}  // namespace receiptd::sandbox::sim
