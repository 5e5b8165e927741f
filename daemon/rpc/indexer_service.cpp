#include "rpc/indexer_service.hpp"

#include "base/coroutine.hpp"
#include "base/log.hpp"
#include "rpc/block_contents.hpp"
#include "rpc/questions.hpp"
#include "rpc/whole_block_check.hpp"

#include <utility>

namespace receiptd::rpc {
namespace {

using WholeBlock = chain::Decoded<chain::WholeBlock>;

// A node tells nothing of a shard that it does not track, which is not to say that nothing is there.
std::string lacks_shards(WholeBlock& whole) {
    const auto shard_id = untracked_shard(whole.value);
    return shard_id ? "it does not track shard " + std::to_string(*shard_id) : std::string();
}

}  // namespace

Decoder<WholeBlock> indexer_block_decoder(std::string hash) {
    return [hash = std::move(hash)](std::string body) -> base::Result<WholeBlock, std::string> {
        auto block = chain::decode_whole_block_answer(std::move(body));
        if (!block) return refuse<WholeBlock>(block.error());
        const auto& told = block->value.block.header.hash;
        if (told != hash) return refuse<WholeBlock>("asked for block " + hash + ", got " + std::string(told));
        auto wrong = untracked_shard(block->value) ? std::string() : wrong_shards(block->value);
        if (wrong.empty()) wrong = compute_hashes(*block);
        if (!wrong.empty()) return refuse<WholeBlock>(std::move(wrong));
        return std::move(*block);
    };
}

IndexerService::IndexerService(base::asio::thread_pool& pool, std::shared_ptr<Router> router,
                               std::shared_ptr<RpcBlockSource> blocks, std::shared_ptr<HeaderCheck> headers)
    : pool_(pool), router_(std::move(router)), blocks_(std::move(blocks)), headers_(std::move(headers)) {}

base::Task<base::Result<WholeBlockService::Head, Unavailable>> IndexerService::head(bool whole) {
    auto block = co_await blocks_->head();
    if (!block) co_return block.error();
    Head told{std::move(*block), false};
    if (whole) {
        const auto contents = co_await fetch(told.block.height, Priority::head, true);
        const auto* block_told = std::get_if<std::unique_ptr<BlockContents>>(&contents);
        told.is_whole = block_told != nullptr && (*block_told)->tells_outcomes();
    }
    co_return std::move(told);
}

base::Task<FetchResult> IndexerService::fetch(chain::BlockHeight height, Priority priority,
                                              bool with_chunks) {
    auto found = co_await blocks_->find(height, priority);
    if (auto* without = std::get_if<FetchResult>(&found)) co_return std::move(*without);
    auto& block = std::get<RpcBlockSource::BlockAnswer>(found);
    const std::string hash(block.value.value.header.hash);
    auto call = ask_indexer_block(hash, height, priority);
    call.first_host = block.host;
    auto decode = indexer_block_decoder(hash);
    auto answer =
        co_await decoded_call<WholeBlock>(*router_, pool_, std::move(call), std::move(decode), lacks_shards);
    if (answer) {
        said_that_none_is_made_ = false;
        auto& host = *router_->hosts()[answer->host];
        auto& whole = answer->value;
        host.showed(whole.value.block.header);
        if (headers_) {
            auto refusal = co_await headers_->refusal(whole.value.block, host.name());
            if (refusal) co_return std::move(*refusal);
        }
        co_return std::make_unique<WholeBlockContents>(host.name(), std::move(whole));
    }
    auto error = answer.error();
    const bool is_made_by_none = error.absent || error.method_missing;
    if (!is_made_by_none) {
        blocks_->keep(std::move(block));
        co_return unavailable(std::move(error));
    }
    if (!std::exchange(said_that_none_is_made_, true))
        log::warn(
            "no node makes this whole block: it comes by its chunks, and its trees one by one, as do the "
            "next ones like it",
            {{"height", height}, {"because", error.detail}});
    co_return co_await blocks_->complete(std::move(block), priority, with_chunks);
}

}  // namespace receiptd::rpc
