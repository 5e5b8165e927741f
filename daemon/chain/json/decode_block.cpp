// Blocks and chunks: rpc.md §4.
#include "chain/json/decode_parts.hpp"
#include "chain/json/id_maps.hpp"

#include <iterator>

namespace receiptd::chain::decoding {

namespace {

// Some recordings round `timestamp`, so the string wins.
bool read_time(Reader& reader, Text nanosec, Text rounded, std::uint64_t& out) {
    if (nanosec.empty() && rounded.empty()) return reader.fail_at("timestamp_nanosec", "missing");
    const bool exact = !nanosec.empty();
    if (bigint(reader, exact ? nanosec : rounded, out)) return true;
    return reader.within(exact ? "timestamp_nanosec" : "timestamp");
}

// A shard has one chunk in a block. But the children of a split shard show its last chunk while they have
// none of their own.
bool are_distinct(Reader& reader, const Block& block) {
    IdSet hashes;
    boost::unordered_flat_set<ShardId> shards;
    for (std::size_t i = 0; i < block.chunks.size(); ++i) {
        const ChunkHeader& chunk = block.chunks[i];
        const bool new_hash = hashes.insert(chunk.chunk_hash).second;
        const bool new_shard = shards.insert(chunk.shard_id).second;
        if (new_hash && new_shard) continue;
        if (!new_hash && !new_shard && chunk.height_included < block.header.height) continue;
        reader.fail(new_hash    ? "its shard is listed before"
                    : new_shard ? "its hash is listed before"
                                : "it is listed before");
        return reader.within(i) || reader.within("chunks");
    }
    return true;
}

}  // namespace

bool members(Reader& reader, ondemand::object& object, ChunkHeader& out) {
    return reader.object(object,  //
                         required("chunk_hash", Hash{out.chunk_hash}),
                         required("prev_block_hash", Hash{out.prev_block_hash}),
                         required("outcome_root", out.outcome_root),        //
                         required("tx_root", out.tx_root),                  //
                         required("height_created", out.height_created),    //
                         required("height_included", out.height_included),  //
                         required("shard_id", out.shard_id),                //
                         expected("gas_used", out.gas_used),                //
                         expected("gas_limit", out.gas_limit),              //
                         expected("balance_burnt", out.balance_burnt),      //
                         expected("encoded_length", out.encoded_length));
}

bool members(Reader& reader, ondemand::object& object, BlockHeader& out) {
    Text nanosec;
    Text rounded;
    return reader.object(
               object,  //
               required("height", out.height), optional("prev_height", out.prev_height),
               required("hash", Hash{out.hash}), required("prev_hash", Hash{out.prev_hash}),
               required("epoch_id", out.epoch_id), optional("next_epoch_id", out.next_epoch_id),
               optional("outcome_root", out.outcome_root),
               optional("chunk_headers_root", out.chunk_headers_root),
               optional("last_final_block", out.last_final_block),
               optional("timestamp_nanosec", Scalar{nanosec}), optional("timestamp", Scalar{rounded}),
               expected("chunks_included", out.chunks_included), required("gas_price", out.gas_price),  //
               required("total_supply", out.total_supply),
               optional("latest_protocol_version", out.latest_protocol_version)) &&
           read_time(reader, nanosec, rounded, out.timestamp_nanosec);
}

bool block_members(Reader& reader, ondemand::object& object, Presence chunks, Block& out) {
    const auto header = [&](Value value) {
        return reader.as_it_stands(value, out.header.json,
                                   [&](Value read) { return decode(reader, read, out.header); });
    };
    return reader.object(object, expected("author", Account{out.author}), required("header", header),
                         Field<7, std::vector<ChunkHeader>&>{"chunks", chunks, out.chunks}) &&
           are_distinct(reader, out);
}

bool members(Reader& reader, ondemand::object& object, Block& out) {
    return block_members(reader, object, Presence::required, out);
}

std::vector<Receipt> ReceiptLists::merge() && {
    if (local.empty() && instant.empty()) return std::move(listed);
    IdSet known;
    std::vector<Receipt> merged;
    merged.reserve(listed.size() + local.size() + instant.size());
    for (auto* list : {&listed, &local, &instant}) {
        std::copy_if(std::move_iterator(list->begin()), std::move_iterator(list->end()),
                     std::back_inserter(merged),
                     [&](const Receipt& receipt) { return known.insert(receipt.receipt_id).second; });
    }
    return merged;
}

bool members(Reader& reader, ondemand::object& object, Chunk& out) {
    ReceiptLists lists;
    const auto left_out = reader.left_out();
    const bool read =
        reader.object(object, expected("author", Account{out.author}), required("header", out.header),
                      required("transactions", out.transactions), required("receipts", lists.listed),
                      optional("local_receipts", lists.local), optional("instant_receipts", lists.instant));
    out.receipts = std::move(lists).merge();
    out.lacks_elements = reader.left_out() > left_out;
    return read;
}

}  // namespace receiptd::chain::decoding
