// The closed sets of words that rules and subjects share.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace receiptd::rule {

enum class Kind : std::uint8_t {
    // Findings (docs/verdicts.md), then the ends of watches that are findings, too
    failed_receipt,
    failed_transaction,
    tokens_returned,
    burnt_tokens,
    wallet_refused,
    yield_timed_out,
    undecided,
    stuck,
    rejected,
    forwarding_failed,
    dropped,
    expired,
    unknown,
    // Kinds of subjects that are no findings
    verdict,    // a tree completed
    stage,      // a watched transaction entered a stage; rules of kind "end" listen to it, too
    event,      // NEP-297
    transfer,   // tokens in or out of an account
    key_added,  // an access key
    absence,    // of a subject: a successful receipt, which ends an absence
    latency,    // of a subject: a watched transaction that entered a stage, with how long that took
};
inline constexpr std::size_t kKinds = 20;
std::string_view kind_name(Kind kind);
std::optional<Kind> parse_kind(std::string_view name);
constexpr bool is_finding(Kind kind) { return kind <= Kind::unknown; }

// A set of kinds.
using Kinds = std::uint32_t;
constexpr Kinds bit(Kind kind) { return Kinds{1} << static_cast<unsigned>(kind); }
inline constexpr Kinds kFindings = bit(Kind::verdict) - 1;

// NEAR's actions in snake_case, as chain::ActionKind names them.
enum class Action : std::uint8_t {
    create_account,
    deploy_contract,
    function_call,
    transfer,
    stake,
    add_key,
    delete_key,
    delete_account,
    delegate,
    deploy_global_contract,
    use_global_contract,
    deterministic_state_init,
    transfer_to_gas_key,
    withdraw_from_gas_key,
    delegate_v2,
    universal_state_init,
    unknown,
};
std::string_view action_name(Action action);
std::optional<Action> parse_action(std::string_view name);

// A set of actions: those of a receipt or a transaction.
using Actions = std::uint32_t;
constexpr Actions bit(Action action) { return Actions{1} << static_cast<unsigned>(action); }

}  // namespace receiptd::rule
