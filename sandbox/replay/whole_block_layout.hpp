// Finds the parts of a whole block (providers.md §2.2) in its text, so that blocks, chunks, transactions,
// receipts and outcomes are cut out of it instead of being parsed and printed.
#pragma once

#include "base/height_set.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::sandbox {

struct Span {
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
    std::string_view in(std::string_view text) const { return text.substr(offset, size); }
};

// A text to be put together: constant words and spans of the block's text, in turn.
struct Piece {
    std::string_view words;  // used if not empty; a literal
    Span span;
};
std::string join(const std::vector<Piece>& pieces, std::string_view text);

struct NamedSpan {
    std::string id;
    Span span;
};

struct TransactionLayout {
    std::string hash;
    Span transaction;
    Span outcome;  // OutcomeWithId; empty if the recording has none
};

struct WholeBlockShard {
    std::uint64_t shard_id = 0;
    std::string chunk_hash;        // empty: no new chunk in this block
    std::vector<Piece> rpc_chunk;  // as the JSON-RPC method `chunk` gives it
    std::vector<TransactionLayout> transactions;
    std::vector<NamedSpan> receipts;  // listed, local and executed ones alike; bodies
    std::vector<NamedSpan> outcomes;  // of the receipts executed here
};

struct WholeBlockLayout {
    base::Height height = 0;
    std::string hash;
    std::string prev_hash;
    std::vector<Piece> rpc_block;  // as the JSON-RPC method `block` gives it
    std::vector<WholeBlockShard> shards;
};

// `text` is one whole block, below 4 GiB. Throws std::invalid_argument naming what is missing.
WholeBlockLayout read_layout(std::string_view text);

}  // namespace receiptd::sandbox
