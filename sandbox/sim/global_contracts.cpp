#include "sandbox/sim/global_contracts.hpp"

#include "sandbox/sim/derive.hpp"

#include <algorithm>

namespace receiptd::sandbox::sim {

namespace {

void insert_shard(std::vector<std::uint64_t>& shards, std::uint64_t shard_id) {
    const auto place = std::lower_bound(shards.begin(), shards.end(), shard_id);
    if (place == shards.end() || *place != shard_id) shards.insert(place, shard_id);
}

void send_on(ChunkFrame& chunk, const Receipt& receipt) {
    GlobalContractReceipt body = std::get<GlobalContractReceipt>(receipt.body);
    insert_shard(body.already_delivered_shards, chunk.block.shard_id);
    const auto& delivered = body.already_delivered_shards;
    const auto& layout = chunk.block.shard_ids;
    const auto next = std::find_if(layout.begin(), layout.end(), [&](std::uint64_t shard_id) {
        return !std::binary_search(delivered.begin(), delivered.end(), shard_id);
    });
    if (next == layout.end()) return;
    body.target_shard = *next;
    chunk.result.outgoing.push_back({child_receipt_id(receipt.receipt_id, chunk.block.height, 0),
                                     receipt.predecessor_id, receipt.receiver_id, std::move(body)});
}

}  // namespace

Receipt deployed_global_contract(ActionFrame& frame, const wire::GlobalContractId& contract, Bytes code) {
    GlobalContractReceipt body;
    body.contract = contract;
    body.target_shard = frame.block.shard_id;
    body.code = std::move(code);
    body.nonce = frame.state.global_contract_nonce(contract) + 1;
    frame.state.set_global_contract_nonce(contract, body.nonce);
    return {{}, frame.receipt.receiver_id, kSystemAccount, std::move(body)};
}

void take_global_contract(ChunkFrame& chunk, const Receipt& receipt) {
    const auto& body = std::get<GlobalContractReceipt>(receipt.body);
    StateUpdate update(chunk.state);
    if (body.nonce >= update.global_contract_nonce(body.contract)) {
        update.set_global_contract(body.contract, body.code);
        update.set_global_contract_nonce(body.contract, body.nonce);
        update.commit(chunk.block.height);
    }
    send_on(chunk, receipt);
}

}  // namespace receiptd::sandbox::sim
