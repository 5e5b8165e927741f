#include "rpc/block_contents.hpp"

#include "rpc/amend.hpp"

#include <algorithm>
#include <string>

namespace receiptd::rpc {

void RpcBlock::for_each_transaction(const std::function<void(const chain::SignedTransaction&)>& visit) const {
    for (const auto& chunk : chunks_)
        for (const auto& transaction : chunk->value.transactions) visit(transaction);
}

// The data that a block lists moves trees on, so its sightings are always collected.
chain::RowBatch RpcBlock::rows(const RowsSettings& settings) const {
    std::vector<const chain::Chunk*> chunks;
    for (const auto& chunk : chunks_) chunks.push_back(&chunk->value);
    auto batch = chain::block_rows(block_.value, chunks, settings.prev_height, settings.scope, true);
    batch.facts.saw_unreadable(block().header.height, "", block_.unreadable);
    for (const auto& chunk : chunks_)
        batch.facts.saw_unreadable(block().header.height,
                                   "shard " + std::to_string(chunk->value.header.shard_id) + " ",
                                   chunk->unreadable);
    return batch;
}

bool RpcBlock::is_in_part() const {
    return !block_.unreadable.empty() || std::any_of(chunks_.begin(), chunks_.end(), [](const auto& chunk) {
        return !chunk->unreadable.empty();
    });
}

void WholeBlockContents::for_each_transaction(
    const std::function<void(const chain::SignedTransaction&)>& visit) const {
    for (const auto& shard : whole_.value.shards)
        for (const auto& item : shard.transactions) visit(item.transaction);
}

void WholeBlockContents::amend(Amendment amendment) {
    amended_by_ = std::move(amendment);
    rpc::amend(whole_.value, amended_by_);
}

chain::RowBatch WholeBlockContents::rows(const RowsSettings& settings) const {
    auto batch = chain::whole_block_rows(whole_.value, settings.prev_height, settings.scope, settings.lineage,
                                         &settings.live_trees, settings.collect_sightings);
    batch.facts.saw_unreadable(block().header.height, "", whole_.unreadable);
    return batch;
}

}  // namespace receiptd::rpc
