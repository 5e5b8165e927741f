// Errors of upstreams as data: causes, texts, codes and statuses with their class. Pure tables;
// error_class.cpp reads them in the order of rpc.md §1.1.
#pragma once

#include "rpc/error_class.hpp"

#include <cstdint>
#include <string_view>

namespace receiptd::rpc {

inline constexpr std::string_view kTimeoutCause = "TIMEOUT_ERROR";
inline constexpr std::string_view kUntrackedCause = "DOES_NOT_TRACK_SHARD";

// Questions on which a cause's class may depend.
enum class Depends {
    no,
    block,        // by height: above the head not_yet, else pruned; by hash: another host may know
    chunk,        // near the head it may still arrive, else pruned
    wait,         // TIMEOUT_ERROR: of a transaction's lookup it says "not known", else it is a fault
    transaction,  // INVALID_TRANSACTION: congestion passes, the rest is final
    method,       // UNSUPPORTED: of a whole block it says that this host makes none
};

// Structured causes (rpc.md §1.2, §4-7).
struct CauseRow {
    std::string_view cause;
    ErrorClass error_class;
    bool absent = false;
    bool method_missing = false;
    Depends depends = Depends::no;
};
inline constexpr CauseRow kCauses[] = {
    {"UNKNOWN_BLOCK", ErrorClass::pruned, true, false, Depends::block},
    {"UNKNOWN_CHUNK", ErrorClass::pruned, true, false, Depends::chunk},
    {"GARBAGE_COLLECTED_BLOCK", ErrorClass::pruned, true},
    {"UNAVAILABLE_SHARD", ErrorClass::pruned, true},
    {kUntrackedCause, ErrorClass::pruned, true},
    {"UNKNOWN_TRANSACTION", ErrorClass::chain_state, true},
    {"UNKNOWN_RECEIPT", ErrorClass::chain_state, true},
    // Answers about proofs and about a receipt's transaction (rpc.md §9): this host cannot say, another one
    // may.
    {"DEPTH_EXCEEDED", ErrorClass::pruned, true},
    {"BUDGET_EXCEEDED", ErrorClass::pruned, true},
    {"OUTCOMES_NOT_STORED", ErrorClass::pruned, true},
    {"UNSUPPORTED", ErrorClass::pruned, true, false, Depends::method},
    {"UNKNOWN_TRANSACTION_OR_RECEIPT", ErrorClass::chain_state, true},
    {"NOT_CONFIRMED", ErrorClass::not_yet},
    {"INCONSISTENT_STATE", ErrorClass::endpoint_fault},
    {kTimeoutCause, ErrorClass::endpoint_fault, false, false, Depends::wait},
    {"INVALID_TRANSACTION", ErrorClass::chain_state, false, false, Depends::transaction},
    {"REQUEST_ROUTED", ErrorClass::not_yet},
    {"METHOD_NOT_FOUND", ErrorClass::endpoint_fault, false, true},
    {"PARSE_ERROR", ErrorClass::caller_fault},
    {"INVALID_ACCOUNT", ErrorClass::caller_fault},
    {"INVALID_SHARD_ID", ErrorClass::chain_state},
    {"UNKNOWN_ACCOUNT", ErrorClass::chain_state},
    {"UNKNOWN_ACCESS_KEY", ErrorClass::chain_state},
    {"UNKNOWN_GAS_KEY", ErrorClass::chain_state},
    {"NO_CONTRACT_CODE", ErrorClass::chain_state},
    {"NO_GLOBAL_CONTRACT_CODE", ErrorClass::chain_state},
    {"TOO_LARGE_CONTRACT_STATE", ErrorClass::chain_state},
    {"CONTRACT_EXECUTION_ERROR", ErrorClass::chain_state},
    {"UNKNOWN_EPOCH", ErrorClass::chain_state},
    {"EPOCH_OUT_OF_BOUNDS", ErrorClass::chain_state},
    {"VALIDATOR_INFO_UNAVAILABLE", ErrorClass::chain_state},
    {"TOO_MANY_ACCESS_KEYS", ErrorClass::chain_state},
    // Whole blocks of nodes (rpc.md §9.1): this host cannot make it, another one may.
    {"DATA_UNAVAILABLE", ErrorClass::pruned, true, false, Depends::chunk},
    {"INCOMPLETE_DATA", ErrorClass::pruned, true},
    {"LIMIT_EXCEEDED", ErrorClass::pruned, true},
    {kBusy, ErrorClass::rate_limited},
    // States of the host.
    {"NOT_SYNCED_YET", ErrorClass::endpoint_fault},
    {"NO_SYNCED_BLOCKS", ErrorClass::endpoint_fault},
    {"NODE_IS_SYNCING", ErrorClass::endpoint_fault},
    {"NO_NEW_BLOCKS", ErrorClass::endpoint_fault},
    {"INTERNAL_ERROR", ErrorClass::endpoint_fault},
};

// Why a lookup ended in TIMEOUT_ERROR, as hosts since 2.14 say it (rpc.md §5.4). Of any other reason it is
// what it is without one.
struct TimeoutRow {
    std::string_view why;
    ErrorClass error_class;
    bool absent = false;
    bool again = false;
};
inline constexpr TimeoutRow kTimeouts[] = {
    {"PENDING", ErrorClass::not_yet, false, true},  // the host knows the transaction
    {"ERROR", ErrorClass::endpoint_fault},          // it has not looked
    {kUntrackedCause, ErrorClass::pruned, true},
};

// A cause that the table does not know, by the error's name: a newer node's, which another host may not have.
struct NameRow {
    std::string_view name;
    ErrorClass error_class;
};
inline constexpr NameRow kNames[] = {
    {"HANDLER_ERROR", ErrorClass::endpoint_fault},
    {"REQUEST_VALIDATION_ERROR", ErrorClass::caller_fault},
    {"INTERNAL_ERROR", ErrorClass::endpoint_fault},
};

// Texts of unstructured errors of old nodes, and the cause newer ones would name. First hit wins.
struct OldTextRow {
    std::string_view needle;  // lower case
    std::string_view cause;
};
inline constexpr OldTextRow kOldTexts[] = {
    {"db not found error: block", "UNKNOWN_BLOCK"},  // of a chunk ("CHUNK EXTRA") it is a fault of the host
    {"chunk missing", "UNKNOWN_CHUNK"},
    {"garbage collected", "GARBAGE_COLLECTED_BLOCK"},
    {"txexecutionerror", "INVALID_TRANSACTION"},
    {"invalidtxerror", "INVALID_TRANSACTION"},
    {"track this shard", "DOES_NOT_TRACK_SHARD"},
    {"does not track the shard", "UNAVAILABLE_SHARD"},
    {"no fully synchronized blocks", "NO_SYNCED_BLOCKS"},
    {"does not exist while viewing", "UNKNOWN_ACCOUNT"},
    {"failed parsing args", "PARSE_ERROR"},
    {"failed to decode transaction", "PARSE_ERROR"},
};

// "Slow down" in other words and codes (providers.md §5.1). Lower case.
inline constexpr std::string_view kRateTexts[] = {
    "rate limit",    "rate-limit",     "ratelimit",      "too many requests",
    "compute units", "quota exceeded", "limit exceeded",
};
inline constexpr std::int64_t kRateCodes[] = {-32005, -32029, -32097, 429, -429};

// The plan of the key has nothing left: a pause, as for too many requests. Lower case.
inline constexpr std::string_view kPaymentTexts[] = {
    "payment required", "credits exhausted", "out of credits", "insufficient credits", "credit limit",
};
inline constexpr int kPaymentStatus = 402;

// "I do not do that here". Lower case.
inline constexpr std::string_view kMethodTexts[] = {
    "method not found",          "method not available", "method is not available", "method not allowed",
    "method is not allowed",     "method not supported", "method is not supported", "unsupported method",
    "method is not whitelisted", "method is disabled",
};
inline constexpr std::int64_t kMethodCode = -32601;

// Unstructured codes of the JSON-RPC specification that blame the request.
inline constexpr std::int64_t kCallerCodes[] = {-32700, -32600, -32602};

// HTTP statuses of answers that are no JSON-RPC. First row that holds the status wins.
struct StatusRow {
    int from;
    int to;
    ErrorClass error_class;
    std::string_view reason;  // empty: "http_<status>"
    bool unauthorized = false;
};
inline constexpr StatusRow kStatuses[] = {
    {200, 299, ErrorClass::endpoint_fault, "malformed"},
    {400, 400, ErrorClass::caller_fault, ""},
    {401, 401, ErrorClass::endpoint_fault, "unauthorized", true},
    {403, 403, ErrorClass::endpoint_fault, "unauthorized", true},
    {415, 415, ErrorClass::caller_fault, ""},
    {422, 422, ErrorClass::caller_fault, ""},
    {429, 429, ErrorClass::rate_limited, "rate_limited"},
    {0, 999, ErrorClass::endpoint_fault, ""},
};

struct FaultRow {
    net::TransportFault fault;
    std::string_view reason;
};
inline constexpr FaultRow kFaults[] = {
    {net::TransportFault::resolve, "resolve"},
    {net::TransportFault::connect, "connect"},
    {net::TransportFault::tls, "tls"},
    {net::TransportFault::timeout, "timeout"},
    {net::TransportFault::reset, "connection_reset"},
    {net::TransportFault::too_large, "too_large"},
    {net::TransportFault::malformed, "malformed"},
};

// Types of neardata's 404 (providers.md §2.1).
struct NeardataRow {
    std::string_view type;
    ErrorClass error_class;
};
inline constexpr NeardataRow kNeardataTypes[] = {
    {"BLOCK_DOES_NOT_EXIST", ErrorClass::not_yet},
    {"BLOCK_HEIGHT_TOO_HIGH", ErrorClass::caller_fault},
    {"BLOCK_HEIGHT_TOO_LOW", ErrorClass::chain_state},
};

}  // namespace receiptd::rpc
