// Small chains of whole blocks for tests. Owns every string its models point to.
#pragma once

#include "chain/json/model.hpp"

#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::chain::testing {

class ChainBuilder {
public:
    Text own(std::string text) { return strings_.emplace_back(std::move(text)); }

    // A block at each height, one per call; shards 0 … shard_count - 1, all with new chunks.
    WholeBlock& add_block(BlockHeight height, ShardId shard_count = 1) {
        WholeBlock& whole = blocks_.emplace_back();
        auto& header = whole.block.header;
        header.height = height;
        header.hash = own("block-" + std::to_string(height));
        header.prev_hash = own("block-" + std::to_string(height - 1));
        header.timestamp_nanosec = 1'600'000'000'000'000'000 + height * 600'000'000;
        header.epoch_id = "epoch";
        header.latest_protocol_version = 85;
        whole.block.author = "validator.near";
        for (ShardId shard_id = 0; shard_id < shard_count; ++shard_id) {
            ChunkHeader chunk;
            chunk.chunk_hash = own("chunk-" + std::to_string(height) + "-" + std::to_string(shard_id));
            chunk.height_created = height;
            chunk.height_included = height;
            chunk.shard_id = shard_id;
            whole.block.chunks.push_back(chunk);
            whole.shards.emplace_back();
            whole.shards.back().shard_id = shard_id;
            whole.shards.back().chunk_header = chunk;
        }
        return whole;
    }
    const std::deque<WholeBlock>& blocks() const { return blocks_; }
    std::deque<WholeBlock>& blocks() { return blocks_; }

private:
    std::deque<std::string> strings_;
    std::deque<WholeBlock> blocks_;
};

inline Outcome outcome(Text id, Text executor, List<Text> children = {}) {
    Outcome made;
    made.id = id;
    made.block_hash = "executing block";
    made.receipt_ids = std::move(children);
    made.gas_burnt = 1000;
    made.tokens_burnt = 2000;
    made.executor_id = executor;
    made.status.kind = StatusKind::success_value;
    return made;
}

inline Outcome failed(Outcome made) {
    made.status.kind = StatusKind::failure;
    made.status.failure_json =
        R"({"ActionError":{"index":0,"kind":{"FunctionCallError":{"ExecutionError":"Smart contract panicked: no"}}}})";
    return made;
}

inline Receipt action_receipt(Text id, Text predecessor, Text receiver, Text signer) {
    Receipt made;
    made.receipt_id = id;
    made.predecessor_id = predecessor;
    made.receiver_id = receiver;
    made.kind = ReceiptKind::action;
    made.signer_id = signer;
    made.actions_json = "[]";
    return made;
}

inline Receipt data_receipt(Text id, Text data_id, Text predecessor, Text receiver) {
    Receipt made;
    made.receipt_id = id;
    made.predecessor_id = predecessor;
    made.receiver_id = receiver;
    made.kind = ReceiptKind::data;
    made.data_id = data_id;
    made.data = "";
    return made;
}

inline ExecutedReceipt executed(Receipt receipt, List<Text> children = {}) {
    auto result = outcome(receipt.receipt_id, receipt.receiver_id, std::move(children));
    return {std::move(result), std::move(receipt), {}};
}

// With a conversion that spawned `initial`.
inline ExecutedTransaction transaction(Text hash, Text signer, Text receiver, Text initial) {
    ExecutedTransaction made;
    made.transaction.hash = hash;
    made.transaction.signer_id = signer;
    made.transaction.receiver_id = receiver;
    made.transaction.public_key = "ed25519:key";
    made.transaction.nonce = 7;
    made.transaction.actions_json = "[]";
    made.outcome = outcome(hash, signer, {initial});
    made.outcome->status.kind = StatusKind::success_receipt_id;
    made.outcome->status.success_receipt_id = initial;
    return made;
}

// alice calls dex: dex spawns a promise to token and a callback that awaits it and fails; the
// deposit comes back from system.
inline ChainBuilder swap_chain() {
    ChainBuilder chain;
    auto& sent = chain.add_block(10, 2).shards[0];
    sent.transactions.push_back(transaction("TX", "alice.near", "dex.near", "R1"));
    auto& called = chain.add_block(11, 2).shards[1];
    called.executed.push_back(
        executed(action_receipt("R1", "alice.near", "dex.near", "alice.near"), {"A", "B"}));
    auto& paid = chain.add_block(12, 2).shards[1];
    auto promise = action_receipt("A", "dex.near", "token.near", "alice.near");
    promise.output_data_receivers = {{"D", "dex.near"}};
    paid.executed.push_back(executed(promise));
    auto& resolved = chain.add_block(13, 2);
    resolved.shards[1].listed_data.push_back(data_receipt("DR", "D", "token.near", "dex.near"));
    auto callback = action_receipt("B", "dex.near", "dex.near", "alice.near");
    callback.input_data_ids = {"D"};
    resolved.shards[1].executed.push_back(executed(callback, {"F"}));
    auto& failing = resolved.shards[1].executed[0].outcome;
    failing = failed(failing);
    auto& refunded = chain.add_block(14, 2).shards[0];
    refunded.executed.push_back(executed(action_receipt("F", "system", "alice.near", "system")));
    return chain;
}

}  // namespace receiptd::chain::testing
