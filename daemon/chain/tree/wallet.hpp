// Answers of the wallet contract that ETH-implicit (0x) accounts have (NEP-518, chain-model.md §6.5). Pure.
#pragma once

#include "chain/json/model.hpp"

#include <optional>
#include <string>

namespace receiptd::chain {

// The method that does what the owner of the account signed.
inline constexpr Text kWalletMethod = "rlp_execute";
// As error_class of a transaction whose failure is such an answer alone.
inline constexpr Text kWalletRefused = "wallet_refused";

// The reason why the transaction that the account's owner signed was not done, in the wallet's words.
// nullopt: it was done, or this is no such answer.
std::optional<std::string> wallet_refusal(Text executor_id, const ExecutionStatus& status);

}  // namespace receiptd::chain
