#include "sandbox/replay/whole_block_layout.hpp"

#include "sandbox/gateway/json_text.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace receiptd::sandbox {

namespace {

using json_text::elements;
using json_text::is_array;
using json_text::is_null;
using json_text::is_object;
using json_text::member;
using json_text::require;
using json_text::string_body;

class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) {}

    WholeBlockLayout read() const {
        WholeBlockLayout layout;
        const auto block = require(text_, "block");
        const auto header = require(block, "header");
        layout.height = number(header, "height");
        layout.hash = string_body(require(header, "hash"));
        layout.prev_hash = string_body(require(header, "prev_hash"));
        const auto shards = elements(require(text_, "shards"));
        for (const auto shard : shards) layout.shards.push_back(read_shard(shard));
        layout.rpc_block = rpc_block(block, shards);
        return layout;
    }

private:
    Span span(std::string_view part) const {
        return {static_cast<std::uint32_t>(part.data() - text_.data()),
                static_cast<std::uint32_t>(part.size())};
    }
    Piece piece(std::string_view part) const { return {{}, span(part)}; }

    static std::uint64_t number(std::string_view object, std::string_view name) {
        if (const auto value = json_text::number(require(object, name))) return *value;
        throw std::invalid_argument("JSON: `" + std::string(name) + "` is not a number");
    }

    void append_list(std::vector<Piece>& pieces, const std::vector<std::string_view>& items) const {
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (i > 0) pieces.push_back({",", {}});
            pieces.push_back(piece(items[i]));
        }
    }

    // Old recordings have no `chunks` in the block: the headers stand in the shards only.
    std::vector<Piece> rpc_block(std::string_view block, const std::vector<std::string_view>& shards) const {
        if (member(block, "chunks")) return {piece(block)};
        std::vector<std::string_view> headers;
        for (const auto shard : shards) {
            const auto chunk = member(shard, "chunk");
            if (chunk && is_object(*chunk)) headers.push_back(require(*chunk, "header"));
        }
        std::vector<Piece> pieces{{"{\"author\":", {}},
                                  piece(require(block, "author")),
                                  {",\"header\":", {}},
                                  piece(require(block, "header")),
                                  {",\"chunks\":[", {}}};
        append_list(pieces, headers);
        pieces.push_back({"]}", {}});
        return pieces;
    }

    WholeBlockShard read_shard(std::string_view shard) const {
        WholeBlockShard layout;
        layout.shard_id = number(shard, "shard_id");
        const auto chunk = member(shard, "chunk");
        if (chunk && is_object(*chunk)) read_chunk(*chunk, layout);
        const auto executed = member(shard, "receipt_execution_outcomes");
        if (executed && is_array(*executed)) {
            for (const auto item : elements(*executed)) read_executed(item, layout);
        }
        return layout;
    }

    void read_chunk(std::string_view chunk, WholeBlockShard& layout) const {
        const auto header = require(chunk, "header");
        layout.chunk_hash = string_body(require(header, "chunk_hash"));
        std::vector<std::string_view> transactions;
        std::set<std::string_view> spawned;  // receipts made by this chunk's own transactions
        for (const auto item : elements(require(chunk, "transactions"))) {
            transactions.push_back(require(item, "transaction"));
            layout.transactions.push_back(read_transaction(item, spawned));
        }
        std::vector<std::string_view> outgoing;
        for (const auto receipt : elements(require(chunk, "receipts"))) {
            add_receipt(receipt, layout);
            // Streams list local receipts too; the RPC's `chunk` does not (providers.md §3).
            if (!spawned.contains(string_body(require(receipt, "receipt_id")))) outgoing.push_back(receipt);
        }
        for (const auto name : {"local_receipts", "instant_receipts"}) {
            const auto more = member(chunk, name);
            if (!more || !is_array(*more)) continue;
            for (const auto receipt : elements(*more)) add_receipt(receipt, layout);
        }
        layout.rpc_chunk = {{"{\"author\":", {}},
                            piece(require(chunk, "author")),
                            {",\"header\":", {}},
                            piece(header),
                            {",\"transactions\":[", {}}};
        append_list(layout.rpc_chunk, transactions);
        layout.rpc_chunk.push_back({"],\"receipts\":[", {}});
        append_list(layout.rpc_chunk, outgoing);
        layout.rpc_chunk.push_back({"]}", {}});
    }

    TransactionLayout read_transaction(std::string_view item, std::set<std::string_view>& spawned) const {
        TransactionLayout layout;
        const auto transaction = require(item, "transaction");
        layout.hash = string_body(require(transaction, "hash"));
        layout.transaction = span(transaction);
        const auto outcome = member(item, "outcome");
        if (!outcome || !is_object(*outcome)) return layout;
        const auto with_id = member(*outcome, "execution_outcome");
        if (!with_id || !is_object(*with_id)) return layout;
        layout.outcome = span(*with_id);
        for (const auto id : elements(require(require(*with_id, "outcome"), "receipt_ids")))
            spawned.insert(string_body(id));
        return layout;
    }

    void read_executed(std::string_view item, WholeBlockShard& layout) const {
        const auto outcome = require(item, "execution_outcome");
        layout.outcomes.push_back({std::string(string_body(require(outcome, "id"))), span(outcome)});
        const auto receipt = member(item, "receipt");
        if (receipt && is_object(*receipt)) add_receipt(*receipt, layout);
    }

    void add_receipt(std::string_view receipt, WholeBlockShard& layout) const {
        layout.receipts.push_back({std::string(string_body(require(receipt, "receipt_id"))), span(receipt)});
    }

    std::string_view text_;
};

}  // namespace

std::string join(const std::vector<Piece>& pieces, std::string_view text) {
    std::size_t size = 0;
    for (const auto& piece : pieces) size += piece.words.size() + piece.span.size;
    std::string joined;
    joined.reserve(size);
    for (const auto& piece : pieces) joined.append(piece.words.empty() ? piece.span.in(text) : piece.words);
    return joined;
}

WholeBlockLayout read_layout(std::string_view text) { return Reader(text).read(); }

}  // namespace receiptd::sandbox
