#include "rule/keys.hpp"

#include <algorithm>

namespace receiptd::rule {
namespace {

constexpr Kinds kTrees = bit(Kind::verdict) | bit(Kind::stage);
constexpr Kinds kEveryKind = (Kinds{1} << kKinds) - 1;
constexpr Kinds kOfReceipts = bit(Kind::failed_receipt) | bit(Kind::tokens_returned) |
                              bit(Kind::burnt_tokens) | bit(Kind::wallet_refused) |
                              bit(Kind::yield_timed_out) | bit(Kind::event) | bit(Kind::transfer) |
                              bit(Kind::key_added) | bit(Kind::absence);
constexpr Kinds kOfWatches = bit(Kind::stuck) | bit(Kind::rejected) | bit(Kind::forwarding_failed) |
                             bit(Kind::dropped) | bit(Kind::expired) | bit(Kind::unknown) | bit(Kind::stage);
constexpr Kinds kWithAmount = bit(Kind::transfer) | bit(Kind::burnt_tokens) | bit(Kind::tokens_returned);
constexpr Kinds kEvent = bit(Kind::event);
constexpr Kinds kTransfer = bit(Kind::transfer);

constexpr std::string_view kRoles[] = {"initial",  "callback", "promise", "returned",
                                       "detached", "refund",   "payout"};
constexpr std::string_view kVerdicts[] = {"succeeded", "failed", "callback_failed", "receipt_failed",
                                          "succeeded_with_handled_failure"};
constexpr std::string_view kNearStatuses[] = {"success", "failure"};
constexpr std::string_view kEffects[] = {"refunded", "refunded_in_part", "told", "swallowed", "tokens_lost"};
constexpr std::string_view kDirections[] = {"in", "out"};
constexpr std::string_view kCauses[] = {"transfer", "refund", "returned"};
constexpr std::string_view kAccesses[] = {"full", "function_call"};
// The stages of kind "end" stand last.
constexpr std::string_view kStages[] = {"accepted",  "pending", "included", "executing",
                                        "completed", "final",   "rejected", "forwarding_failed",
                                        "dropped",   "expired", "unknown"};

constexpr ConditionKey kKeys[] = {
    {"signer", Form::accounts, Field::signer, kEveryKind},
    {"user", Form::accounts, Field::user, kEveryKind},
    {"predecessor", Form::accounts, Field::predecessor, kOfReceipts},
    {"receiver", Form::accounts, Field::receiver, kEveryKind},
    {"account", Form::accounts, Field::account, kEveryKind},
    {"method", Form::words, Field::method, kEveryKind},
    {"action", Form::actions, Field::method, kEveryKind},
    {"role", Form::choices, Field::role, kOfReceipts, kRoles},
    {"error_class", Form::words, Field::error_class, kFindings | kTrees},
    {"text", Form::text, Field::text, kFindings | kTrees},
    {"verdict", Form::choices, Field::verdict, kFindings | kTrees, kVerdicts},
    {"near_status", Form::choices, Field::near_status, kFindings | kTrees, kNearStatuses},
    {"effect", Form::choices, Field::effect, kFindings | kTrees, kEffects},
    {"handled", Form::flags, Field::handled, kFindings},
    {"expected", Form::flags, Field::expected, kFindings},
    {"conclusive", Form::flags, Field::conclusive, kOfWatches},
    {"deposit_at_least", Form::at_least, Field::deposit, kEveryKind},
    {"deposit_at_most", Form::at_most, Field::deposit, kEveryKind},
    {"gas_at_least", Form::at_least, Field::gas, kEveryKind},
    {"gas_at_most", Form::at_most, Field::gas, kEveryKind},
    {"amount_at_least", Form::at_least, Field::amount, kWithAmount},
    {"amount_at_most", Form::at_most, Field::amount, kWithAmount},
    {"standard", Form::standard, Field::standard, kEvent},
    {"event", Form::text, Field::event, kEvent},
    {"direction", Form::choices, Field::direction, kTransfer, kDirections},
    {"token", Form::token, Field::token, kTransfer},
    {"cause", Form::choices, Field::cause, kTransfer, kCauses},
    {"access", Form::choices, Field::access, bit(Kind::key_added), kAccesses},
    {"where", Form::where, Field::text, kEveryKind},
    {"any", Form::any, Field::text, kEveryKind},
    {"all", Form::all, Field::text, kEveryKind},
    {"not", Form::negation, Field::text, kEveryKind},
};

}  // namespace

std::span<const ConditionKey> condition_keys() { return kKeys; }

const ConditionKey* find_condition_key(std::string_view name) {
    const auto* found =
        std::find_if(std::begin(kKeys), std::end(kKeys), [&](const auto& key) { return key.name == name; });
    return found == std::end(kKeys) ? nullptr : found;
}

std::span<const std::string_view> stages() { return kStages; }
std::span<const std::string_view> end_stages() { return stages().subspan(4); }
std::span<const std::string_view> latency_stages() { return stages().subspan(2, 4); }

}  // namespace receiptd::rule
