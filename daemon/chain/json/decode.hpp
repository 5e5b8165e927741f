// JSON answers -> model.hpp, with simdjson on-demand. Pure: bytes in, values out.
//
// Unknown fields are skipped and unknown variants kept raw; a missing or wrongly typed field that
// a model cannot do without, broken JSON and invalid UTF-8 are a DecodeError that names the place.
// Thread-safe: each thread keeps its own parser.
#pragma once

#include "base/result.hpp"
#include "chain/json/decode_error.hpp"
#include "chain/json/document.hpp"
#include "chain/json/model.hpp"

#include <cstdint>
#include <string>

namespace receiptd::chain {

template <class T>
using DecodeResult = base::Result<Decoded<T>, DecodeError>;

// The parts of an answer that are decoded where something in it cannot be read.
enum class Parts : std::uint8_t {
    all,       // nothing: it is an error
    readable,  // the rest, if anything can be read without it; Decoded::unreadable names it
};

// Each takes the JSON of the `result` (or of the bare whole block). If the text has fewer than
// kJsonPadding spare bytes of capacity it is copied once.
DecodeResult<Block> decode_block(std::string json, Parts parts = Parts::all);
DecodeResult<Chunk> decode_chunk(std::string json, Parts parts = Parts::all);
DecodeResult<TransactionStatus> decode_transaction_status(std::string json, Parts parts = Parts::all);
DecodeResult<Receipt> decode_receipt(std::string json);
DecodeResult<WholeBlock> decode_whole_block(std::string json, Parts parts = Parts::all);

// The same from a whole JSON-RPC envelope `{"jsonrpc":…,"result":…}` without cutting it apart.
// The caller has looked at the envelope first (rpc/envelope.hpp); a missing result is an error.
DecodeResult<Block> decode_block_answer(std::string envelope, Parts parts = Parts::all);
DecodeResult<Chunk> decode_chunk_answer(std::string envelope, Parts parts = Parts::all);
DecodeResult<WholeBlock> decode_whole_block_answer(std::string envelope, Parts parts = Parts::all);
DecodeResult<TransactionStatus> decode_transaction_status_answer(std::string envelope,
                                                                 Parts parts = Parts::all);
DecodeResult<Receipt> decode_receipt_answer(std::string envelope);

// --- The envelope, errors and `query` results: small, so they own their strings. -------------

// `error` of an answer (rpc.md §1.2). Old and foreign servers leave out name and cause.
struct RpcErrorObject {
    std::string name;       // "HANDLER_ERROR", or empty
    std::string cause;      // "UNKNOWN_BLOCK", or empty
    std::string info_json;  // cause.info verbatim, or empty
    std::int64_t code = 0;
    std::string message;
    std::string data_json;  // verbatim (a JSON string or object), or empty
    // The InvalidTxError of `error.InvalidTransaction` (gateway.md §7; nodes have it in data alone,
    // rpc.md §5.4), verbatim, or empty. Such an error without a cause has INVALID_TRANSACTION.
    std::string invalid_transaction_json;
};

struct Envelope {
    enum class Kind { result, error, null_result };
    Kind kind = Kind::result;
    RpcErrorObject error;               // for Kind::error
    std::string soft_error;             // `result.error` of a failed `query` (rpc.md §6.1), or empty
    BlockHeight soft_error_height = 0;  // of the block that it looked at; 0: it names none
};

// Both members present: the non-null one wins (providers.md §5.1). An object with neither is a
// DecodeError. `body` should have kJsonPadding spare bytes of capacity (else it is copied).
base::Result<Envelope, DecodeError> read_envelope(const std::string& body);

struct AccessKeyView {
    std::string public_key;
    Nonce nonce = 0;
    std::string permission_json;   // verbatim
    BlockHeight block_height = 0;  // 0 inside a list
    std::string block_hash;
};

struct CallResult {
    std::string result;  // bytes
    std::vector<std::string> logs;
    BlockHeight block_height = 0;
    std::string block_hash;
};

// These take the answer's `result` or the whole envelope. A soft error (rpc.md §6.1) is a
// DecodeError with the path "error" and the server's words as its reason.
base::Result<AccessKeyView, DecodeError> decode_view_access_key(const std::string& result);
base::Result<std::vector<AccessKeyView>, DecodeError> decode_view_access_key_list(const std::string& result);
base::Result<CallResult, DecodeError> decode_call_function(const std::string& result);

}  // namespace receiptd::chain
