#include "sandbox/ledger/chain_hashes.hpp"

#include "chain/wire/borsh.hpp"

#include <algorithm>

namespace receiptd::sandbox {

using chain::Bytes;
using chain::sha256;
using chain::Writer;

namespace {

// In the order of nearcore's enum. The ones of version 2 have a member for the receiver of refunds; those are
// the receipts that contracts make.
enum class BodyKind : std::uint8_t {
    action,
    data,
    promise_yield,
    promise_resume,
    global_contract,
    action_v2,
    promise_yield_v2
};

BodyKind kind_of(const sim::ActionReceipt& body) {
    if (body.is_of_contract) return body.is_promise_yield ? BodyKind::promise_yield_v2 : BodyKind::action_v2;
    return body.is_promise_yield ? BodyKind::promise_yield : BodyKind::action;
}

void write_body(Writer& writer, const sim::ActionReceipt& body) {
    writer.u8(static_cast<std::uint8_t>(kind_of(body)));
    writer.string(body.signer_id);
    if (body.is_of_contract) writer.option(false);  // refund_to
    body.signer_public_key.write(writer);
    writer.u128(body.gas_price);
    writer.count(body.output_data_receivers.size());
    for (const sim::DataReceiver& receiver : body.output_data_receivers) {
        writer.hash(receiver.data_id);
        writer.string(receiver.receiver_id);
    }
    writer.count(body.input_data_ids.size());
    for (const CryptoHash& id : body.input_data_ids) writer.hash(id);
    sim::wire::write_actions(writer, body.actions);
}

void write_body(Writer& writer, const sim::DataReceipt& body) {
    writer.u8(static_cast<std::uint8_t>(body.is_promise_resume ? BodyKind::promise_resume : BodyKind::data));
    writer.hash(body.data_id);
    writer.option(body.data.has_value());
    if (body.data) writer.bytes(*body.data);
}

// Version 2 of it, the one with a nonce.
void write_body(Writer& writer, const sim::GlobalContractReceipt& body) {
    writer.u8(static_cast<std::uint8_t>(BodyKind::global_contract));
    writer.u8(1);
    writer.u8(static_cast<std::uint8_t>(body.contract.index()));
    if (const auto* hash = std::get_if<CryptoHash>(&body.contract))
        writer.hash(*hash);
    else
        writer.string(std::get<std::string>(body.contract));
    writer.u64(body.target_shard);
    writer.count(body.already_delivered_shards.size());
    for (const std::uint64_t shard_id : body.already_delivered_shards) writer.u64(shard_id);
    writer.bytes(body.code);
    writer.u64(body.nonce);
}

void write_congestion(Writer& writer, const CongestionInfo& info) {
    writer.u8(0);  // V1
    writer.u128(info.delayed_receipts_gas);
    writer.u128(info.buffered_receipts_gas);
    writer.u64(info.receipt_bytes);
    writer.u16(info.allowed_shard);
}

Bytes chunk_inner_borsh(const ChunkRecord& chunk) {
    const Application& previous = *chunk.previous;
    Writer writer;
    writer.u8(static_cast<std::uint8_t>(chunk.protocol->chunk_header_version - 1));
    writer.hash(chunk.prev_block_hash);
    writer.hash(previous.state_root);
    writer.hash(previous.outcome_root);
    writer.hash(chunk.encoded_merkle_root);
    writer.u64(chunk.encoded_length);
    writer.u64(chunk.height);
    writer.u64(chunk.shard_id());
    writer.u64(previous.gas_used);
    writer.u64(chunk.gas_limit);
    writer.u128(previous.tokens_burnt);
    writer.hash(chunk.outgoing_receipts_root);
    writer.hash(chunk.tx_root);
    writer.count(0);  // validator proposals
    write_congestion(writer, previous.congestion);
    writer.u8(0);  // bandwidth requests, V1
    writer.count(0);
    if (chunk.protocol->chunk_header_version >= 5) writer.option(false);  // proposed split
    return writer.take();
}

// The fields of nearcore's BlockHeaderInnerRestV5 or V6 (encoding.md §6); only their hash is ever seen.
Bytes inner_rest_borsh(const BlockRecord& block) {
    const bool has_challenges = block.protocol->block_header_version < 6;
    const CryptoHash no_challenges;
    Writer writer;
    for (const CryptoHash* root :
         {&block.body_hash, &block.chunk_receipts_root, &block.chunk_headers_root, &block.chunk_tx_root}) {
        writer.hash(*root);
    }
    if (has_challenges) writer.hash(no_challenges);
    writer.hash(block.random_value);
    writer.count(0);  // validator proposals
    writer.count(block.chunks.size());
    for (std::size_t i = 0; i < block.chunks.size(); ++i) writer.boolean(block.is_new(i));
    writer.u128(block.gas_price);
    writer.u128(block.total_supply);
    if (has_challenges) writer.count(0);  // their results
    writer.hash(block.last_final_block);
    writer.hash(block.last_ds_final_block);
    writer.u64(block.ordinal + 1);
    writer.u64(block.prev_height);
    writer.option(block.epoch_sync_data_hash.has_value());
    if (block.epoch_sync_data_hash) writer.hash(*block.epoch_sync_data_hash);
    writer.count(block.approvals.size());
    for (const chain::Signature& approval : block.approvals) {
        writer.option(true);
        approval.write(writer);
    }
    writer.u32(block.protocol->version);
    const std::vector<Bytes> endorsements = chunk_endorsements(block);
    writer.count(endorsements.size());
    for (const Bytes& bitmap : endorsements) writer.bytes(bitmap);
    if (has_challenges) return writer.take();
    writer.option(block.shard_split.has_value());
    if (block.shard_split) {
        writer.u64(block.shard_split->shard_id);
        writer.string(block.shard_split->boundary_account);
    }
    return writer.take();
}

// nearcore's merklize: the leaves are hashes of the items' Borsh.
template <class Member>
CryptoHash root_over(const BlockRecord& block, Member&& member) {
    std::vector<CryptoHash> leaves;
    for (const ChunkPtr& chunk : block.chunks) leaves.push_back(sha256(member(*chunk).view()));
    return chain::merkle_root(leaves);
}

CryptoHash chunk_headers_root(const BlockRecord& block) {
    std::vector<CryptoHash> leaves;
    for (const ChunkPtr& chunk : block.chunks) {
        Writer writer;
        writer.hash(chunk->hash);
        writer.u64(chunk->height);
        leaves.push_back(sha256(writer.result()));
    }
    return chain::merkle_root(leaves);
}

// One leaf for each shard of the layout, in its order: the receipts for that shard, hashed twice.
CryptoHash receipts_root(const std::vector<ReceiptPtr>& receipts, const ShardLayout& layout) {
    std::vector<Writer> by_shard(layout.size());
    std::vector<std::size_t> counts(layout.size());
    for (const ReceiptPtr& receipt : receipts) {
        const std::size_t shard = layout.index_of(*receipt);
        by_shard[shard].raw(receipt_borsh(*receipt));
        ++counts[shard];
    }
    std::vector<CryptoHash> leaves;
    for (std::size_t i = 0; i < layout.size(); ++i) {
        Writer writer;
        writer.u64(layout.shard_id(i));
        writer.count(counts[i]);
        writer.raw(by_shard[i].result());
        leaves.push_back(sha256(sha256(writer.result()).view()));
    }
    return chain::merkle_root(leaves);
}

}  // namespace

Bytes receipt_borsh(const sim::Receipt& receipt) {
    Writer writer;
    writer.string(receipt.predecessor_id);
    writer.string(receipt.receiver_id);
    writer.hash(receipt.receipt_id);
    std::visit([&](const auto& body) { write_body(writer, body); }, receipt.body);
    return writer.take();
}

void seal_chunk(ChunkRecord& chunk) {
    Writer encoded;
    std::vector<CryptoHash> leaves;
    encoded.count(chunk.transactions.size());
    for (const TransactionPtr& transaction : chunk.transactions) {
        const Bytes bytes = sim::wire::encode(transaction->signed_transaction);
        leaves.push_back(sha256(bytes));
        encoded.raw(bytes);
    }
    chunk.tx_root = chain::merkle_root(leaves);
    encoded.count(chunk.receipts.size());
    for (const ReceiptPtr& receipt : chunk.receipts) encoded.raw(receipt_borsh(*receipt));
    chunk.outgoing_receipts_root = receipts_root(chunk.receipts, *chunk.layout);
    chunk.encoded_length = encoded.result().size();
    chunk.encoded_merkle_root = sha256(encoded.result());
    chunk.hash = chain::sha256_pair(sha256(chunk_inner_borsh(chunk)), chunk.encoded_merkle_root);
}

std::vector<Bytes> chunk_endorsements(const BlockRecord& block) {
    const std::size_t validators = block.approvals.size();
    std::vector<Bytes> bitmaps(block.chunks.size());
    for (std::size_t i = 0; i < bitmaps.size(); ++i) {
        for (std::size_t first = 0; block.is_new(i) && first < validators; first += 8) {
            const std::size_t in_byte = std::min<std::size_t>(8, validators - first);
            bitmaps[i].push_back(static_cast<std::uint8_t>((1U << in_byte) - 1));
        }
    }
    return bitmaps;
}

void seal_block(BlockRecord& block) {
    std::vector<CryptoHash> outcome_roots;
    for (const ChunkPtr& chunk : block.chunks) outcome_roots.push_back(chunk->previous->outcome_root);
    block.chunk_receipts_root =
        root_over(block, [](const ChunkRecord& c) { return c.outgoing_receipts_root; });
    block.chunk_headers_root = chunk_headers_root(block);
    block.chunk_tx_root = root_over(block, [](const ChunkRecord& c) { return c.tx_root; });
    block.body_hash = chain::sha256_pair(block.chunk_headers_root, block.random_value);
    block.light.inner_lite.prev_state_root =
        root_over(block, [](const ChunkRecord& c) { return c.previous->state_root; });
    block.light.inner_lite.outcome_root = chain::make_block_outcome_tree(outcome_roots).root;
    block.light.inner_rest_hash = sha256(inner_rest_borsh(block));
    block.hash = chain::block_hash(block.light);
}

chain::OutcomeCommitment commitment_of(const sim::Outcome& outcome) {
    chain::OutcomeCommitment commitment;
    commitment.id = outcome.id;
    commitment.receipt_ids = outcome.receipt_ids;
    commitment.gas_burnt = outcome.gas_burnt;
    commitment.tokens_burnt = outcome.tokens_burnt;
    commitment.executor_id = outcome.executor_id;
    commitment.logs.assign(outcome.logs.begin(), outcome.logs.end());
    if (const auto* value = std::get_if<sim::SuccessValue>(&outcome.status)) {
        commitment.status = value->value;
    } else if (const auto* next = std::get_if<sim::SuccessReceiptId>(&outcome.status)) {
        commitment.status = next->receipt_id;
    } else {
        commitment.status = chain::OutcomeCommitment::Failure{};
    }
    return commitment;
}

CryptoHash outcome_leaf(const sim::Outcome& outcome) { return chain::outcome_leaf(commitment_of(outcome)); }

}  // namespace receiptd::sandbox
