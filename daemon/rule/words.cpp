#include "rule/words.hpp"

#include <algorithm>
#include <array>

namespace receiptd::rule {
namespace {

constexpr std::array<std::string_view, kKinds> kKindNames = {
    "failed_receipt",  "failed_transaction",
    "tokens_returned", "burnt_tokens",
    "wallet_refused",  "yield_timed_out",
    "undecided",       "stuck",
    "rejected",        "forwarding_failed",
    "dropped",         "expired",
    "unknown",         "verdict",
    "stage",           "event",
    "transfer",        "key_added",
    "absence",         "latency",
};
static_assert(static_cast<std::size_t>(Kind::latency) + 1 == kKinds);

constexpr std::array<std::string_view, 17> kActionNames = {
    "create_account",
    "deploy_contract",
    "function_call",
    "transfer",
    "stake",
    "add_key",
    "delete_key",
    "delete_account",
    "delegate",
    "deploy_global_contract",
    "use_global_contract",
    "deterministic_state_init",
    "transfer_to_gas_key",
    "withdraw_from_gas_key",
    "delegate_v2",
    "universal_state_init",
    "unknown",
};
static_assert(static_cast<std::size_t>(Action::unknown) + 1 == kActionNames.size());

template <class Word, class Names>
std::optional<Word> parse_word(const Names& names, std::string_view name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return std::nullopt;
    return static_cast<Word>(found - names.begin());
}

}  // namespace

std::string_view kind_name(Kind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }
std::optional<Kind> parse_kind(std::string_view name) { return parse_word<Kind>(kKindNames, name); }
std::string_view action_name(Action action) { return kActionNames[static_cast<std::size_t>(action)]; }
std::optional<Action> parse_action(std::string_view name) { return parse_word<Action>(kActionNames, name); }

}  // namespace receiptd::rule
