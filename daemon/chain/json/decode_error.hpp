// Where and why an answer cannot be read.
#pragma once

#include <string>

namespace receiptd::chain {

struct DecodeError {
    std::string path;    // "shards[2].chunk.header.height"; empty: the document as a whole
    std::string reason;  // "missing", "not a number", ...
    std::string to_string() const { return path.empty() ? reason : path + ": " + reason; }
};

struct UnreadablePart {
    std::string path;    // "shards[2].chunk.transactions[5]"
    std::string reason;  // "transaction.nonce: not a number"; a name of a host's own only if it is plain
    // A whole transaction, receipt or outcome; else it is there as an unknown kind, or less is known of it.
    bool is_left_out = false;

    // The path without its indexes, and the reason: the same for all that a protocol has changed alike.
    std::string shape() const;
};

}  // namespace receiptd::chain
