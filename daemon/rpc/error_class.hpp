// Every answer of an upstream falls in exactly one class, which decides what happens next and is a
// metric label (product.md "The daemon" 8). The rules are tables in error_class.cpp: providers.md
// §5.1, rpc.md §1.1 and §11. The body is looked at first, the HTTP status second.
#pragma once

#include "base/clock.hpp"
#include "chain/json/decode.hpp"
#include "net/http_client.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace receiptd::rpc {

enum class ErrorClass {
    ok,
    endpoint_fault,  // retry elsewhere
    rate_limited,    // slow down, honour Retry-After
    pruned,          // this host does not hold it: go to archival
    not_yet,         // wait
    chain_state,     // an answer, not a fault
    caller_fault,    // never retried
};
const char* to_string(ErrorClass error_class);

// The reason of a rate_limited answer: the credits of the key's plan are used up.
inline constexpr const char* kPaymentRequired = "payment_required";
// The same of a node that makes as many whole blocks now as it may: it is as well as ever.
inline constexpr const char* kBusy = "BUSY";

inline constexpr const char* kIndexerBlock = "EXPERIMENTAL_indexer_block";

// One attempt as the classifier sees it. Views are borrowed for the call.
struct HttpObservation {
    std::optional<net::TransportFault> fault;  // set: there is no answer
    std::string_view fault_text;               // of the transport, for people
    int status = 0;
    std::string_view retry_after;  // the header
    std::string_view body;
    const chain::Envelope* envelope = nullptr;  // the body as JSON-RPC; null: it is none
    std::string_view method;
    std::optional<chain::BlockHeight> height;      // of the block asked for or about
    std::optional<chain::BlockHeight> known_head;  // highest that any host told
    base::WallTime now{};                          // for a Retry-After date
};

struct Verdict {
    ErrorClass error_class = ErrorClass::ok;
    std::string reason;                    // short and stable: "UNKNOWN_CHUNK", "http_503", "timeout"
    std::string text;                      // the host's text, cut short; may echo the request
    std::string invalid_transaction_json;  // the whole InvalidTxError of an INVALID_TRANSACTION
    std::optional<base::Duration> retry_after;
    std::optional<chain::ShardId> untracked_shard;  // the host says itself that it does not track it
    chain::BlockHeight looked_at =
        0;                        // the block by which it says that something does not exist; 0: not told
    bool absent = false;          // this host does not know the object; another one may
    bool again = false;           // the same host may know it in a moment
    bool method_missing = false;  // the host does not offer the method
    bool wrong_contents = false;  // a result that cannot be right
    bool unauthorized = false;    // the key or its owner is refused: a configuration error
    // Whether the host says that it does not track the shard of the requested item.
    bool speaks_of_shard() const { return reason == "UNAVAILABLE_SHARD" || reason == "DOES_NOT_TRACK_SHARD"; }
    // Whether the host itself did badly, rather than tell us something.
    bool blames_host() const {
        return error_class == ErrorClass::endpoint_fault && !absent && !method_missing;
    }
};

// Verdict::reason of a result that lacks the requested item.
inline constexpr const char* kLacking = "LACKING";

// The same of a result of which a part cannot be read.
inline constexpr const char* kReadableInPart = "READABLE_IN_PART";

using Classifier = Verdict (*)(const HttpObservation&);

// A JSON-RPC answer.
Verdict classify(const HttpObservation& seen);
// An answer of neardata (providers.md §2.1): no envelope, `null` for a height without a block.
Verdict classify_neardata(const HttpObservation& seen);

// Near the head a host may lag behind another one; farther below it no longer does.
inline constexpr chain::BlockHeight kLagMargin = 10;

}  // namespace receiptd::rpc
