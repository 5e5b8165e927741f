// Actions as they are in a transaction's Borsh bytes (encoding.md §4.4, §4.5). Their JSON views are
// in model.hpp; the names here are the same, hence the separate namespace.
#pragma once

#include "base/u128.hpp"
#include "chain/wire/borsh.hpp"
#include "chain/wire/bytes.hpp"
#include "chain/wire/hash.hpp"
#include "chain/wire/keys.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace receiptd::chain::wire {

using base::u128;

struct Action;

struct CreateAccount {
    friend bool operator==(const CreateAccount&, const CreateAccount&) = default;
};

struct DeployContract {
    Bytes code;
    friend bool operator==(const DeployContract&, const DeployContract&) = default;
};

struct FunctionCall {
    std::string method_name;
    Bytes args;
    std::uint64_t gas = 0;
    u128 deposit = 0;
    friend bool operator==(const FunctionCall&, const FunctionCall&) = default;
};

struct Transfer {
    u128 deposit = 0;
    friend bool operator==(const Transfer&, const Transfer&) = default;
};

struct Stake {
    u128 stake = 0;
    PublicKey public_key;
    friend bool operator==(const Stake&, const Stake&) = default;
};

struct FunctionCallPermission {
    std::optional<u128> allowance;          // nullopt: unlimited
    std::string receiver_id;                // any text: the chain does not check it here
    std::vector<std::string> method_names;  // empty: any
    friend bool operator==(const FunctionCallPermission&, const FunctionCallPermission&) = default;
};

struct FullAccess {
    friend bool operator==(const FullAccess&, const FullAccess&) = default;
};

struct GasKeyInfo {
    u128 balance = 0;
    std::uint16_t num_nonces = 0;
    friend bool operator==(const GasKeyInfo&, const GasKeyInfo&) = default;
};

struct GasKeyFunctionCall {
    GasKeyInfo gas_key;
    FunctionCallPermission function_call;
    friend bool operator==(const GasKeyFunctionCall&, const GasKeyFunctionCall&) = default;
};

struct GasKeyFullAccess {
    GasKeyInfo gas_key;
    friend bool operator==(const GasKeyFullAccess&, const GasKeyFullAccess&) = default;
};

// In the order of the Borsh indexes.
using Permission = std::variant<FunctionCallPermission, FullAccess, GasKeyFunctionCall, GasKeyFullAccess>;

struct AccessKey {
    std::uint64_t nonce = 0;
    Permission permission = FullAccess{};
    friend bool operator==(const AccessKey&, const AccessKey&) = default;
};

struct AddKey {
    PublicKey public_key;
    AccessKey access_key;
    friend bool operator==(const AddKey&, const AddKey&) = default;
};

struct DeleteKey {
    PublicKey public_key;
    friend bool operator==(const DeleteKey&, const DeleteKey&) = default;
};

struct DeleteAccount {
    std::string beneficiary_id;
    friend bool operator==(const DeleteAccount&, const DeleteAccount&) = default;
};

// With nonce_index it is the nonce of a gas key.
struct TransactionNonce {
    std::uint64_t nonce = 0;
    std::optional<std::uint16_t> nonce_index;
    friend bool operator==(const TransactionNonce&, const TransactionNonce&) = default;
};

// NonceType: std::uint64_t (NEP-366) or TransactionNonce (V2).
template <class NonceType>
struct BasicDelegateAction {
    std::string sender_id;
    std::string receiver_id;
    std::vector<Action> actions;  // no delegates among them
    NonceType nonce{};
    std::uint64_t max_block_height = 0;
    PublicKey public_key;
    friend bool operator==(const BasicDelegateAction&, const BasicDelegateAction&) = default;
};
using DelegateAction = BasicDelegateAction<std::uint64_t>;
using DelegateActionV2 = BasicDelegateAction<TransactionNonce>;

// The actions Delegate and DelegateV2; encoded alone they are what a relayer is sent (delegate.hpp).
template <class NonceType>
struct BasicSignedDelegate {
    BasicDelegateAction<NonceType> delegate_action;
    Signature signature;
    friend bool operator==(const BasicSignedDelegate&, const BasicSignedDelegate&) = default;
};
using SignedDelegate = BasicSignedDelegate<std::uint64_t>;
using SignedDelegateV2 = BasicSignedDelegate<TransactionNonce>;

enum class GlobalContractDeployMode : std::uint8_t { code_hash = 0, account_id = 1 };

struct DeployGlobalContract {
    Bytes code;
    GlobalContractDeployMode deploy_mode = GlobalContractDeployMode::code_hash;
    friend bool operator==(const DeployGlobalContract&, const DeployGlobalContract&) = default;
};

// By the hash of its code, or by the account that deployed it.
using GlobalContractId = std::variant<CryptoHash, std::string>;

struct UseGlobalContract {
    GlobalContractId contract;
    friend bool operator==(const UseGlobalContract&, const UseGlobalContract&) = default;
};

// StateInit::V1. `data` ascends by key without repeats, as Borsh maps must.
struct StateInit {
    GlobalContractId code;
    std::vector<std::pair<Bytes, Bytes>> data;
    friend bool operator==(const StateInit&, const StateInit&) = default;
};

struct DeterministicStateInit {
    StateInit state_init;
    u128 deposit = 0;
    friend bool operator==(const DeterministicStateInit&, const DeterministicStateInit&) = default;
};

struct TransferToGasKey {
    PublicKey public_key;
    u128 deposit = 0;
    friend bool operator==(const TransferToGasKey&, const TransferToGasKey&) = default;
};

struct WithdrawFromGasKey {
    PublicKey public_key;
    u128 amount = 0;
    friend bool operator==(const WithdrawFromGasKey&, const WithdrawFromGasKey&) = default;
};

// The state of a "0u…" account (NEP-655), as the bytes from which the account's name follows.
struct UniversalStateInit {
    Bytes state_init;
    u128 deposit = 0;
    friend bool operator==(const UniversalStateInit&, const UniversalStateInit&) = default;
};

// An action this version does not know, with everything behind it: Borsh does not say where an
// unknown variant ends, so it and the actions after it stay one piece. Only ever the last element.
struct UnknownActions {
    std::uint8_t index = 0;   // of the first; at least kKnownActions
    std::uint32_t count = 1;  // how many actions `raw` holds
    Bytes raw;                // after the first one's index, to the end of the list
    friend bool operator==(const UnknownActions&, const UnknownActions&) = default;
};

// In the order of the Borsh indexes.
using ActionVariant = std::variant<CreateAccount, DeployContract, FunctionCall, Transfer, Stake, AddKey,
                                   DeleteKey, DeleteAccount, SignedDelegate, DeployGlobalContract,
                                   UseGlobalContract, DeterministicStateInit, TransferToGasKey,
                                   WithdrawFromGasKey, SignedDelegateV2, UniversalStateInit, UnknownActions>;
inline constexpr std::size_t kKnownActions = std::variant_size_v<ActionVariant> - 1;

struct Action {
    ActionVariant value;
    friend bool operator==(const Action&, const Action&) = default;
};

// The surroundings of a list of actions.
struct ActionContext {
    bool inside_delegate = false;  // then no delegates, and nothing unknown
    // How many bytes follow the list in the input. Unknown actions can be kept only where this is
    // known (nullopt: they are an error).
    std::optional<std::size_t> tail;
};
std::vector<Action> read_actions(Reader& reader, ActionContext context);
void write_actions(Writer& writer, const std::vector<Action>& actions);

// A valid account id (account_id.hpp), else an error at its place.
std::string read_account_id(Reader& reader, const char* what);

Bytes encode(const StateInit& state_init);  // with its version byte
// The "0s…" account of that state (encoding.md §3).
std::string deterministic_account(const StateInit& state_init);

}  // namespace receiptd::chain::wire
