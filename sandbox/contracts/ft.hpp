// ft.sandbox: a fungible token as near-contract-standards has it (NEP-141, NEP-145, NEP-148, events per
// NEP-297), with its panic texts and its records in storage.
//
// Calls
//   ft_transfer {receiver_id, amount, memo?}             1 yocto
//   ft_transfer_call {receiver_id, amount, memo?, msg}   1 yocto; more than 30 Tgas, of which all that is
//                                                        left goes to ft_on_transfer
//   ft_resolve_transfer {sender_id, receiver_id, amount} private callback, 5 Tgas
//   storage_deposit {account_id?, registration_only?}    at least 0.00125 of the base token
//   storage_withdraw {amount?}                           1 yocto
//   storage_unregister {force?}                          1 yocto
// Views
//   ft_total_supply   ft_balance_of {account_id}   ft_metadata
//   storage_balance_of {account_id}   storage_balance_bounds
// Calls that only the sandbox has
//   ft_mint {account_id, amount, memo?}                  anybody may; registers the account if need be
//   ft_arm_resolve_failure {account_id, times?}          the callbacks of the account's next `times` (a
//                                                        string, default "1") ft_transfer_call panic; "0"
//                                                        disarms. Of a single one: by its memo, see below
#pragma once

#include "sandbox/sim/host.hpp"
#include "sandbox/sim/state.hpp"

#include <string>
#include <vector>

namespace receiptd::sandbox {

inline constexpr sim::Gas kGasForResolveTransfer = 5 * sim::kTera;
inline constexpr sim::Gas kGasForFtTransferCall = 25 * sim::kTera + kGasForResolveTransfer;

// As a memo of ft_transfer_call: its ft_resolve_transfer panics, so that the receiver keeps everything.
// The transaction ends as the callback does: its status is Failure, although the initial receipt succeeded.
inline constexpr std::string_view kMemoResolvePanics = "sandbox:resolve-panics";
// The same under a transaction whose status is SuccessValue (the amount): the callback's promise is
// not returned, as in many contracts in production.
inline constexpr std::string_view kMemoResolvePanicsUnseen = "sandbox:resolve-panics-unseen";
// The panic message of that callback.
inline constexpr std::string_view kResolvePanic = "ft_resolve_transfer was told to fail";

inline constexpr std::string_view kFtName = "Sandbox Token";
inline constexpr std::string_view kFtSymbol = "SBX";
inline constexpr int kFtDecimals = 18;

// Per registered account: 125 bytes (1 prefix, 4 + 64 id, 16 balance, 40 of the record), as every token
// made with near-contract-standards asks for.
inline constexpr sim::u128 kFtStorageDeposit = sim::u128{125} * 10'000'000'000'000'000'000U;

struct TokenHolder {
    std::string account_id;
    sim::u128 balance = 0;  // 0: registered only, so that it can receive
};
// The contract's storage at genesis: these balances, and the total supply that they add up to. No account
// twice. Throws std::invalid_argument if the sum does not fit.
sim::DataList ft_initial_records(const std::vector<TokenHolder>& holders);

class FtContract : public sim::Contract {
public:
    bool call(std::string_view method_name, sim::Host& host) const override;
};

}  // namespace receiptd::sandbox
