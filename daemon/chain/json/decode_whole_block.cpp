// Whole blocks of neardata and NEAR Lake: providers.md §2.2, §3; of nodes: rpc.md §9.1.
#include "chain/json/decode_parts.hpp"

#include <boost/unordered/unordered_flat_set.hpp>

namespace receiptd::chain::decoding {

namespace {

bool read_chunk(Reader& reader, Value value, WholeBlockShard& out) {
    const auto data_of = [&](Value list) {
        reader.pass_over_actions(true);
        const bool read = reader.array(list, [&](Value element) {
            if (reader.is_left_out(element)) return true;
            Receipt& receipt = out.listed_data.emplace_back();
            if (!decode(reader, element, receipt)) return false;
            if (receipt.kind == ReceiptKind::data) return reader.may_make(sizeof(Receipt));
            const bool is_contract = receipt.kind == ReceiptKind::global_contract_distribution;
            if (is_contract) out.listed_contracts.push_back(std::move(receipt));
            out.listed_data.pop_back();
            return !is_contract || reader.may_make(sizeof(Receipt));
        });
        reader.pass_over_actions(false);
        return read;
    };
    return reader.object(value, required("header", out.chunk_header),
                         required("transactions", out.transactions), required("receipts", data_of),
                         optional("local_receipts", data_of), optional("instant_receipts", data_of));
}

bool are_distinct(Reader& reader, const std::vector<WholeBlockShard>& shards) {
    boost::unordered_flat_set<ShardId> known;
    for (std::size_t i = 0; i < shards.size(); ++i) {
        if (known.insert(shards[i].shard_id).second) continue;
        reader.fail("it is listed before");
        return reader.within(i) || reader.within("shards");
    }
    return true;
}

// Blocks of old recordings have no list of chunk headers.
void fill_chunks(WholeBlock& block) {
    if (!block.block.chunks.empty()) return;
    for (const WholeBlockShard& shard : block.shards) {
        if (shard.chunk_header) block.block.chunks.push_back(*shard.chunk_header);
    }
}

}  // namespace

static bool members(Reader& reader, ondemand::object& object, ExecutedTransaction& out) {
    const auto read_outcome = [&](Value value) {
        return reader.object(value, required("execution_outcome", out.outcome));
    };
    return reader.object(object, required("transaction", out.transaction), optional("outcome", read_outcome));
}

static bool members(Reader& reader, ondemand::object& object, ExecutedReceipt& out) {
    return reader.object(object, required("execution_outcome", out.outcome), required("receipt", out.receipt),
                         optional("tx_hash", Hash{out.tx_hash}));
}

static bool members(Reader& reader, ondemand::object& object, WholeBlockShard& out) {
    const auto left_out = reader.left_out();
    const bool read =
        reader.object(object, required("shard_id", out.shard_id),
                      optional("chunk", [&](Value value) { return read_chunk(reader, value, out); }),
                      required("receipt_execution_outcomes", out.executed));
    out.lacks_elements = reader.left_out() > left_out;
    return read;
}

bool members(Reader& reader, ondemand::object& object, WholeBlock& out) {
    reader.pass_over_proofs();
    const auto read_block = [&](Value value) {
        ondemand::object block;
        return reader.open(value, block) && block_members(reader, block, Presence::optional, out.block);
    };
    if (!reader.object(object, required("block", read_block), required("shards", out.shards),
                       optional("tracked_shards", out.tracked_shards)) ||
        !are_distinct(reader, out.shards))
        return false;
    fill_chunks(out);
    return true;
}

}  // namespace receiptd::chain::decoding
