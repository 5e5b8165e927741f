#include "rpc/error_class.hpp"

#include "base/ascii.hpp"
#include "base/exact_json.hpp"
#include "chain/json/json_check.hpp"
#include "net/fields.hpp"
#include "net/retry_after.hpp"
#include "rpc/error_tables.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace receiptd::rpc {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::seconds kLongestRetryAfter = 1h;
constexpr std::size_t kTextLimit = 200;
constexpr std::size_t kSearchLimit = 4'096;      // of a foreign body
constexpr std::size_t kDetailLimit = 64 * 1024;  // nodes' errors have a few hundred bytes

template <std::size_t N>
bool says_any(const std::string& lowered, const std::string_view (&needles)[N]) {
    return std::any_of(std::begin(needles), std::end(needles),
                       [&](std::string_view needle) { return lowered.find(needle) != std::string::npos; });
}

template <std::size_t N>
bool is_any(std::int64_t code, const std::int64_t (&codes)[N]) {
    return std::find(std::begin(codes), std::end(codes), code) != std::end(codes);
}

// For people: one line of printable ASCII, cut short.
std::string short_text(std::string_view text) {
    std::string result;
    for (const char c : text.substr(0, kTextLimit)) {
        const bool printable = c >= 0x20 && c < 0x7f;
        if (printable || result.empty() || result.back() != ' ') result.push_back(printable ? c : ' ');
    }
    return result;
}

std::string error_text(const chain::RpcErrorObject& error) {
    const auto& detail = error.data_json.empty() ? error.invalid_transaction_json : error.data_json;
    return detail.empty() ? error.message : error.message + ": " + detail;
}

bool near_head(const HttpObservation& seen) {
    return !seen.height || !seen.known_head || *seen.height + kLagMargin >= *seen.known_head;
}

bool looks_up_transaction(std::string_view method) {
    return method == "tx" || method == "tx_status" || method == "EXPERIMENTAL_tx_status" ||
           method == "send_tx" || method == "broadcast_tx_commit";
}

void judge_block(Verdict& verdict, const HttpObservation& seen) {
    if (!seen.height) {
        verdict.error_class = ErrorClass::endpoint_fault;
    } else if (seen.known_head && *seen.height > *seen.known_head) {
        verdict.error_class = ErrorClass::not_yet;
        verdict.absent = false;
    }
}

void depend(Verdict& verdict, Depends depends, const HttpObservation& seen) {
    switch (depends) {
        case Depends::no: break;
        case Depends::block: judge_block(verdict, seen); break;
        case Depends::chunk:
            if (seen.height && near_head(seen)) {
                verdict.error_class = ErrorClass::not_yet;
                verdict.again = true;
            }
            break;
        case Depends::wait:
            if (looks_up_transaction(seen.method)) {
                verdict.error_class = ErrorClass::not_yet;
                verdict.absent = true;
            }
            break;
        case Depends::transaction:
            if (verdict.text.find("ShardCongested") != std::string::npos ||
                verdict.text.find("ShardStuck") != std::string::npos)
                verdict.error_class = ErrorClass::not_yet;
            break;
        case Depends::method: verdict.method_missing = seen.method == kIndexerBlock; break;
    }
}

std::optional<Verdict> by_cause(std::string_view cause, std::string text, const HttpObservation& seen) {
    const auto* row = std::find_if(std::begin(kCauses), std::end(kCauses),
                                   [&](const CauseRow& known) { return known.cause == cause; });
    if (row == std::end(kCauses)) return std::nullopt;
    Verdict verdict;
    verdict.error_class = row->error_class;
    verdict.reason = std::string(cause);
    verdict.text = std::move(text);
    verdict.absent = row->absent;
    verdict.method_missing = row->method_missing;
    depend(verdict, row->depends, seen);
    return verdict;
}

Verdict plain(ErrorClass error_class, std::string reason, std::string text) {
    Verdict verdict;
    verdict.error_class = error_class;
    verdict.reason = std::move(reason);
    verdict.text = std::move(text);
    return verdict;
}

Verdict missing_method(std::string text) {
    auto verdict = plain(ErrorClass::endpoint_fault, "METHOD_NOT_FOUND", std::move(text));
    verdict.method_missing = true;
    return verdict;
}

Verdict unpaid(std::string text) {
    return plain(ErrorClass::rate_limited, kPaymentRequired, std::move(text));
}

// A host that asks in words to be paid, or to be left alone.
std::optional<Verdict> limit_in_words(const std::string& lowered, const std::string& text) {
    if (says_any(lowered, kPaymentTexts)) return unpaid(text);
    if (says_any(lowered, kRateTexts)) return plain(ErrorClass::rate_limited, "rate_limited", text);
    return std::nullopt;
}

Verdict by_status(const HttpObservation& seen) {
    const auto lowered = base::lowered(seen.body.substr(0, kSearchLimit));
    auto text = short_text(seen.body);
    if (seen.status == kPaymentStatus) return unpaid(std::move(text));
    if (seen.status == 403 && says_any(lowered, kMethodTexts)) return missing_method(std::move(text));
    const bool html = lowered.find("<html") != std::string::npos;
    if (seen.status < 500 && !html && says_any(lowered, kRateTexts))
        return plain(ErrorClass::rate_limited, "rate_limited", std::move(text));
    const auto* row = std::find_if(std::begin(kStatuses), std::end(kStatuses), [&](const StatusRow& known) {
        return seen.status >= known.from && seen.status <= known.to;
    });
    if (row == std::end(kStatuses)) return plain(ErrorClass::endpoint_fault, "malformed", std::move(text));
    auto reason = row->reason.empty() ? "http_" + std::to_string(seen.status) : std::string(row->reason);
    auto verdict = plain(row->error_class, std::move(reason), std::move(text));
    verdict.unauthorized = row->unauthorized;
    return verdict;
}

bool is_gateway_status(int status) {
    return status == 401 || status == 403 || status == 429 || (status >= 502 && status <= 504);
}

// An error of an old node or of a gateway in front, without name and cause.
Verdict by_text(const chain::RpcErrorObject& error, const HttpObservation& seen) {
    const auto full = error_text(error);
    const auto lowered = base::lowered(std::string_view(full).substr(0, kSearchLimit));
    auto text = short_text(full);
    if (seen.status == kPaymentStatus) return unpaid(std::move(text));
    if (auto limited = limit_in_words(lowered, text)) return *limited;
    if (is_any(error.code, kRateCodes))
        return plain(ErrorClass::rate_limited, "rate_limited", std::move(text));
    if (error.code == kMethodCode || says_any(lowered, kMethodTexts)) return missing_method(std::move(text));
    if (is_gateway_status(seen.status)) return by_status(seen);
    for (const auto& row : kOldTexts)
        if (lowered.find(row.needle) != std::string::npos)
            if (auto verdict = by_cause(row.cause, text, seen)) return *verdict;
    if (lowered.find("doesn't exist") != std::string::npos && looks_up_transaction(seen.method))
        return by_cause("UNKNOWN_TRANSACTION", text, seen).value();
    if (error.data_json == "\"Timeout\"") return by_cause("TIMEOUT_ERROR", text, seen).value();
    if (is_any(error.code, kCallerCodes))
        return plain(ErrorClass::caller_fault, "PARSE_ERROR", std::move(text));
    return plain(ErrorClass::endpoint_fault, "server_error", std::move(text));
}

bool is_blank(const chain::RpcErrorObject& error) {
    return error.name.empty() && error.cause.empty() && error.code == 0 && error.message.empty() &&
           error.data_json.empty();
}

// Empty where it is too long or too deep: nlohmann writes values by recursion, and takes 40 times the memory
// of a text.
std::string short_json(const std::string& json) {
    return json.size() <= kDetailLimit && chain::check_json(json).valid ? json : std::string();
}

// In its own member, or where nodes have it (rpc.md §5.4): data.TxExecutionError.InvalidTxError.
std::string invalid_transaction(const chain::RpcErrorObject& error) {
    if (!error.invalid_transaction_json.empty()) return short_json(error.invalid_transaction_json);
    const auto data = base::read_json(short_json(error.data_json));
    const auto* inner = &data;
    for (const char* name : {"TxExecutionError", "InvalidTxError"}) {
        if (!inner->is_object() || !inner->contains(name)) return {};
        inner = &(*inner)[name];
    }
    return base::write_json(*inner);
}

// A number of `cause.info` (rpc.md §5.4, §6).
std::optional<std::uint64_t> named(const chain::RpcErrorObject& error,
                                   std::initializer_list<const char*> members) {
    const auto info = base::read_json(short_json(error.info_json));
    if (!info.is_object()) return std::nullopt;
    for (const char* name : members)
        if (const auto found = info.find(name); found != info.end() && found->is_number_unsigned())
            return found->get<std::uint64_t>();
    return std::nullopt;
}

// Why a lookup ended in TIMEOUT_ERROR; hosts before 2.14 do not say it. nullptr: nothing that is known.
const TimeoutRow* why_timed_out(const chain::RpcErrorObject& error) {
    if (error.cause != kTimeoutCause) return nullptr;
    const auto info = base::read_json(short_json(error.info_json));
    if (!info.is_object()) return nullptr;
    for (const char* name : {"cause", "reason"})
        for (const auto& row : kTimeouts)
            if (const auto why = info.find(name);
                why != info.end() && why->is_string() && why->get_ref<const std::string&>() == row.why)
                return &row;
    return nullptr;
}

Verdict timed_out(const TimeoutRow& why, Verdict verdict) {
    verdict.error_class = why.error_class;
    verdict.absent = why.absent;
    verdict.again = why.again;
    if (why.why == kUntrackedCause) verdict.reason = kUntrackedCause;
    return verdict;
}

Verdict by_error(const chain::RpcErrorObject& error, const HttpObservation& seen) {
    const bool tells_more = error.cause == kTimeoutCause && !error.info_json.empty();
    auto text = short_text(tells_more ? error_text(error) + ": " + error.info_json : error_text(error));
    if (auto verdict = by_cause(error.cause, text, seen)) {
        if (const auto* why = why_timed_out(error)) verdict = timed_out(*why, std::move(*verdict));
        if (verdict->speaks_of_shard())
            verdict->untracked_shard = named(error, {"requested_shard_id", "shard_id"});
        if (verdict->error_class == ErrorClass::chain_state)
            verdict->looked_at = named(error, {"block_height"}).value_or(0);
        if (verdict->reason == "INVALID_TRANSACTION")
            verdict->invalid_transaction_json = invalid_transaction(error);
        return *verdict;
    }
    if (error.name.empty()) return is_blank(error) ? by_status(seen) : by_text(error, seen);
    for (const auto& row : kNames)
        if (row.name == error.name)
            return plain(row.error_class, error.cause.empty() ? error.name : short_text(error.cause),
                         std::move(text));
    return by_text(error, seen);
}

Verdict by_fault(const HttpObservation& seen) {
    for (const auto& row : kFaults)
        if (row.fault == *seen.fault)
            return plain(ErrorClass::endpoint_fault, std::string(row.reason), short_text(seen.fault_text));
    return plain(ErrorClass::endpoint_fault, "connection_reset", short_text(seen.fault_text));
}

Verdict by_body(const HttpObservation& seen) {
    if (seen.fault) return by_fault(seen);
    if (seen.envelope == nullptr) return by_status(seen);
    switch (seen.envelope->kind) {
        case chain::Envelope::Kind::error: return by_error(seen.envelope->error, seen);
        case chain::Envelope::Kind::null_result:
            if (seen.method == "health") return {};
            return plain(ErrorClass::endpoint_fault, "null_result", "result is null");
        case chain::Envelope::Kind::result: break;
    }
    if (seen.envelope->soft_error.empty()) return {};
    auto text = short_text(seen.envelope->soft_error);
    if (seen.method != "query") {
        const auto lowered =
            base::lowered(std::string_view(seen.envelope->soft_error).substr(0, kSearchLimit));
        return limit_in_words(lowered, text)
            .value_or(plain(ErrorClass::endpoint_fault, "error_as_result", text));
    }
    auto verdict = plain(ErrorClass::chain_state, "query_error", std::move(text));
    verdict.looked_at = seen.envelope->soft_error_height;
    return verdict;
}

Verdict neardata_by_body(const HttpObservation& seen) {
    if (seen.fault) return by_fault(seen);
    const auto body = base::trimmed(seen.body, " \t\r\n");
    if (seen.status == 200 && body.substr(0, 1) == "{") return {};
    if (seen.status == 200 && body.substr(0, 4) == "null") {
        auto verdict = plain(ErrorClass::chain_state, "NO_BLOCK", "null: the height has no block");
        verdict.absent = true;
        return verdict;
    }
    if (seen.status == 404)
        for (const auto& row : kNeardataTypes)
            if (body.substr(0, kSearchLimit).find(row.type) != std::string_view::npos)
                return plain(row.error_class, std::string(row.type), short_text(body));
    return by_status(seen);
}

Verdict with_retry_after(Verdict verdict, const HttpObservation& seen) {
    const bool slow = verdict.error_class == ErrorClass::rate_limited || verdict.blames_host();
    if (slow) verdict.retry_after = net::parse_retry_after(seen.retry_after, seen.now, kLongestRetryAfter);
    return verdict;
}

}  // namespace

const char* to_string(ErrorClass error_class) {
    switch (error_class) {
        case ErrorClass::ok: return "ok";
        case ErrorClass::endpoint_fault: return "endpoint_fault";
        case ErrorClass::rate_limited: return "rate_limited";
        case ErrorClass::pruned: return "pruned";
        case ErrorClass::not_yet: return "not_yet";
        case ErrorClass::chain_state: return "chain_state";
        case ErrorClass::caller_fault: return "caller_fault";
    }
    return "endpoint_fault";
}

Verdict classify(const HttpObservation& seen) { return with_retry_after(by_body(seen), seen); }

Verdict classify_neardata(const HttpObservation& seen) {
    return with_retry_after(neardata_by_body(seen), seen);
}

}  // namespace receiptd::rpc
