#include "alert/told_words.hpp"

#include "base/exact_json.hpp"
#include "base/line.hpp"
#include "base/units.hpp"
#include "chain/tree/happening.hpp"
#include "chain/tree/units.hpp"
#include "storage/notices.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace receiptd::alert {

namespace {

using Told = nlohmann::ordered_json;

constexpr double kMostSeconds = 1e15;

// In one line, whatever a contract wrote. Empty: it is missing.
std::string text(const Told& told, const char* name) {
    const auto found = told.find(name);
    return found == told.end() || !found->is_string() ? std::string()
                                                      : base::one_line(found->get_ref<const std::string&>());
}

std::string amount_in_words(const Told& told) {
    const auto amount = text(told, "amount");
    const auto token = text(told, "token");
    if (token == chain::kNear) return chain::near_in_words(base::parse_u128(amount).value_or(0));
    const auto which = text(told, "token_id");
    return amount + (which.empty() ? " units of " : " units of " + which + " at ") + token;
}

std::string transfer_in_words(const Told& told) {
    const auto account = text(told, "account_id");
    const auto other = text(told, "other_account_id");
    const auto amount = amount_in_words(told);
    if (text(told, "direction") == "out")
        return other.empty() ? amount + " of " + account + " were burnt"
                             : account + " sent " + amount + " to " + other;
    const auto from = other.empty() ? std::string() : " from " + other;
    const auto cause = text(told, "cause");
    if (cause == chain::cause_name(chain::TransferCause::transfer))
        return account + " received " + amount + from;
    return account + " got " + amount + " back" + from;
}

std::string event_in_words(const Told& told) {
    const auto standard = text(told, "standard");
    const auto event = text(told, "event");
    return text(told, "contract_id") + " emitted " + (standard.empty() ? "an event" : standard) +
           (event.empty() ? "" : " " + event);
}

std::string key_in_words(const Told& told) {
    const auto access = text(told, "access");
    const std::string key = access == "full"            ? "a full-access key"
                            : access == "function_call" ? "a function-call key"
                                                        : "a key";
    return key + " was added to " + text(told, "contract_id");
}

std::string transaction_in_words(const Told& told) {
    std::string words = "transaction";
    if (const auto user = text(told, "user_id"); !user.empty()) words += " of " + user;
    const auto method = base::shortened(text(told, "method_name"), 80);
    if (const auto contract = text(told, "contract_id"); !contract.empty())
        words += " to " + contract + (method.empty() ? "" : " (" + method + ")");
    return words;
}

std::string end_in_words(const Told& told) {
    const auto verdict = text(told, "verdict");
    if (verdict.empty()) return {};
    auto words = ": " + verdict;
    const auto error_class = text(told, "error_class");
    const auto error_text = base::shortened(text(told, "error_text"), 300);
    if (!error_class.empty()) words += ": " + error_class;
    return error_text.empty() || error_text == error_class ? words : words + ": " + error_text;
}

std::string inclusion_in_words(const Told& told) {
    const bool is_final = told.value("final", Told()) == true;
    if (text(told, "inclusion_id").empty()) return " is in a block";
    return is_final ? " is in a block that is final now" : " is in a block that is not final yet";
}

std::string stage_in_words(const Told& told) {
    const auto stage = text(told, "stage");
    const bool is_retracted = stage == "pending" && !text(told, "inclusion_id").empty();
    const std::string became = stage == "accepted"    ? " begins anew"
                               : is_retracted         ? " waits again: its block did not become final"
                               : stage == "pending"   ? " was taken by hosts"
                               : stage == "included"  ? inclusion_in_words(told)
                               : stage == "executing" ? " is executing"
                                                      : " is " + stage;
    const auto why = why_no_verdict(told);
    return transaction_in_words(told) + became +
           (why.empty() ? end_in_words(told) : " without a verdict: " + why);
}

std::uint64_t number(const Told& told, const char* name) {
    const auto found = told.find(name);
    return found == told.end() || !found->is_number_unsigned() ? 0 : found->get<std::uint64_t>();
}

// "10m", "45.5s"
std::string time_in_words(const Told& told, const char* name) {
    const auto found = told.find(name);
    const auto seconds = found == told.end() ? std::nullopt : base::number_in(*found);
    if (!seconds || !(std::abs(*seconds) < kMostSeconds)) return "?";
    if (*seconds != std::floor(*seconds)) return base::write_json(*found) + "s";
    return base::format_duration(std::chrono::seconds(std::llround(*seconds)));
}

std::string absence_in_words(const Told& told) {
    const auto successes = number(told, "successes");
    const auto at_least = number(told, "at_least");
    auto words = text(told, "rule") + ": " +
                 (successes == 0   ? "no"
                  : successes == 1 ? "one"
                                   : std::to_string(successes)) +
                 " successful " + (successes < 2 ? "call" : "calls") + " in " +
                 time_in_words(told, "window_seconds");
    if (at_least > 1) words += ", fewer than " + std::to_string(at_least);
    const auto last = told.find("last_successes");
    if (last == told.end() || !last->is_array() || last->empty()) return words + "; none is known before";
    return words + "; the last was at " + text(last->front(), "block_time");
}

std::string latency_in_words(const Told& told) {
    const auto percentile = told.find("percentile");
    return text(told, "rule") + ": " +
           (percentile == told.end() ? std::string("?") : base::write_json(*percentile)) + " % of " +
           std::to_string(number(told, "transactions")) + " transactions took up to " +
           time_in_words(told, "took_seconds") + ", more than " + time_in_words(told, "over_seconds") + "; " +
           std::to_string(number(told, "too_slow")) + " were too slow in " +
           time_in_words(told, "window_seconds");
}

// "contract_panic in swap of dex.near (on-call)": as far as the group says it.
std::string group_in_words(const Told& told) {
    const auto error_class = text(told, "error_class");
    const auto method = text(told, "method_name");
    const auto contract = text(told, "contract_id");
    auto words = error_class.empty() ? std::string("alerts") : error_class;
    if (!method.empty()) words += " in " + method;
    if (!contract.empty()) words += (method.empty() ? " at " : " of ") + contract;
    std::string rules;
    if (const auto found = told.find("rules"); found != told.end() && found->is_array())
        for (const auto& rule : *found)
            rules += (rules.empty() ? "" : ", ") + base::one_line(rule.get<std::string>());
    return rules.empty() ? words : words + " (" + rules + ")";
}

std::string digest_in_words(const Told& told) {
    return std::to_string(number(told, "untold")) + " more, " + std::to_string(number(told, "count")) +
           " since " + text(told, "first_at") + ": " + group_in_words(told);
}

std::string resolved_in_words(const Told& told) {
    const auto untold = std::to_string(number(told, "untold"));
    return "over: " + group_in_words(told) + ", " + std::to_string(number(told, "count")) + " in all" +
           (untold == "0" ? "" : ", " + untold + " of them since the last message");
}

std::string withheld_in_words(const Told& told) {
    const auto most = std::to_string(number(told, "most_per_hour")) + " an hour";
    if (const auto found = told.find("withheld"); found != told.end() && base::number_in(*found))
        return base::write_json(*found) + " alerts were withheld: " + text(told, "endpoint") + " takes " +
               most;
    return "further alerts are withheld until " + text(told, "until") + ": " + text(told, "endpoint") +
           " takes " + most;
}

}  // namespace

std::string told_in_words(const std::string& kind, const Told& told) {
    if (kind == "event") return event_in_words(told);
    if (kind == "transfer") return transfer_in_words(told);
    if (kind == "key_added") return key_in_words(told);
    if (kind == "verdict") return transaction_in_words(told) + " was judged" + end_in_words(told);
    if (kind == "absence") return absence_in_words(told);
    if (kind == "latency") return latency_in_words(told);
    if (kind == storage::kGroupDigest) return digest_in_words(told);
    if (kind == storage::kGroupResolved) return resolved_in_words(told);
    if (kind == storage::kEndpointWithheld) return withheld_in_words(told);
    return told.contains("stage") ? stage_in_words(told) : std::string();
}

std::string why_no_verdict(const Told& told) {
    const auto evidence = told.find("evidence");
    const bool is_known = !text(told, "verdict").empty() || evidence == told.end() || !evidence->is_object();
    return is_known ? std::string() : text(*evidence, "error_class");
}

}  // namespace receiptd::alert
