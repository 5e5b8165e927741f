// Handing in signed transactions: what goes in and what comes back. The implementation is
// submitter.hpp.
#pragma once

#include "base/result.hpp"
#include "base/task.hpp"
#include "chain/tree/lifecycle.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace receiptd::watch {

struct SubmitRequest {
    // One of them: Borsh bytes, or their base64 as `signed_tx_base64`.
    std::string bytes;
    std::string base64;
    std::string idempotency_key;  // empty: none
    std::string metadata_json;    // as metadata.hpp makes it; empty: none
    std::string traceparent;      // of the caller (trace/ids.hpp); empty: none
};

// Stored and followed from here on.
struct Submitted {
    std::string tx_hash;
    std::string sender_id;
    chain::Stage stage = chain::Stage::accepted;
    chain::Certainty certainty;  // of what `stage` says
    bool existing = false;       // the same bytes were handed in before: it is that submission
    std::optional<chain::BlockHeight> valid_until;
    std::string note;  // for people; why it is not routed yet, or empty
};

// Nothing was stored and nothing sent.
struct SubmitError {
    enum class Kind : std::uint8_t {
        malformed,    // no signed transaction: HTTP 400
        conflict,     // the key belongs to other bytes, or the bytes came with another key or metadata: 409
        refused,      // no node would take it: 422
        unavailable,  // the chain could not be asked: 503
    };
    Kind kind = Kind::refused;
    std::string error_class;  // "parse_error", "invalid_nonce", "expired", … as chain/errors.hpp has them
    std::string detail;       // describes the fault in one sentence
    std::string where;        // which part: "transaction.nonce", "byte 17: actions[0].deposit"; or empty
    std::string remedy;       // advice (gateway.md §7), or empty
    std::string error_json;   // the InvalidTxError as a node would say it, or empty
};
using SubmitResult = base::Result<Submitted, SubmitError>;

// {tx_hash, sender_id, stage, conclusive, safe_to_resign_after_height, safe_to_resign_estimated_at, existing,
// valid_until, note}
std::string submitted_json(const Submitted& submitted);
// {error_class, detail, where, remedy, error}: those that are known.
std::string submit_error_json(const SubmitError& error);

class Submissions {
public:
    virtual ~Submissions() = default;
    virtual base::Task<SubmitResult> submit(SubmitRequest request) = 0;
};

}  // namespace receiptd::watch
