#include "rpc/indexer_service.hpp"

#include "base/coroutine.hpp"
#include "base/log.hpp"
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

Decoder<WholeBlock> indexer_block_decoder(KnownBlock known) {
    return [known = std::move(known)](std::string body) -> base::Result<WholeBlock, std::string> {
        auto block = chain::decode_whole_block_answer(std::move(body), chain::Parts::readable);
        if (!block) return refuse<WholeBlock>(block.error());
        auto wrong = compute_hashes(*block);
        if (wrong.empty()) wrong = difference(block->value, known);
        if (!wrong.empty()) return refuse<WholeBlock>(std::move(wrong));
        return std::move(*block);
    };
}

IndexerService::IndexerService(base::asio::thread_pool& pool, std::shared_ptr<Router> router,
                               std::shared_ptr<RpcBlockSource> blocks, std::shared_ptr<HeaderCheck> headers)
    : pool_(pool), router_(std::move(router)), blocks_(std::move(blocks)), headers_(std::move(headers)) {}

base::Task<base::Result<WholeBlockService::Head, Unavailable>> IndexerService::head() {
    auto block = co_await blocks_->head();
    if (!block) co_return block.error();
    co_return Head{std::move(*block), false};
}

base::Task<base::Result<Answer<IndexerService::Whole>, CallError>> IndexerService::ask(
    const RpcBlockSource::BlockAnswer& block, Call call) {
    return decoded_call<Whole>(*router_, pool_, std::move(call),
                               indexer_block_decoder(known_block(block.value.value)), lacks_shards);
}

base::Task<base::Result<EarlyBlock, Unavailable>> IndexerService::early(RpcBlockSource::BlockAnswer block) {
    const auto ref = chain::block_ref(block.value.value.header);
    auto call = before_final(ask_indexer_block(ref.hash, ref.height, Priority::watch));
    auto answer = co_await ask(block, std::move(call));
    if (!answer) {
        auto error = answer.error();
        if (!error.denied_by_all) co_return unavailable(std::move(error));
        co_return co_await blocks_->early(std::move(block));
    }
    auto host = router_->hosts()[answer->host]->name();
    auto early = early_block(answer->value.value, host);
    // Another host may tell more of it, once it is final.
    if (!answer->value.unreadable.empty()) co_return std::move(early);
    const auto bytes = answer->value.document->capacity();
    early_.put(ref.height, Early{std::move(host), std::move(answer->value)}, bytes);
    co_return std::move(early);
}

std::optional<IndexerService::Early> IndexerService::take_early(const chain::Block& block) {
    std::optional<Early> early;
    auto* kept = early_.find(block.header.height);
    if (kept != nullptr && difference(kept->whole.value, known_block(block)).empty())
        early = std::move(*kept);
    early_.drop(block.header.height);
    return early;
}

base::Task<FetchResult> IndexerService::fetch(chain::BlockHeight height, Priority priority,
                                              bool with_chunks) {
    auto found = co_await blocks_->find(height, priority);
    if (auto* without = std::get_if<FetchResult>(&found)) co_return std::move(*without);
    auto& block = std::get<RpcBlockSource::BlockAnswer>(found);
    if (auto early = take_early(block.value.value))
        co_return co_await checked_contents(headers_, std::move(early->host), std::move(early->whole));
    const std::string hash(block.value.value.header.hash);
    auto answer = co_await ask(block, ask_indexer_block(hash, height, priority));
    if (answer) {
        said_that_none_is_made_ = false;
        auto& host = *router_->hosts()[answer->host];
        host.showed(answer->value.value.block.header);
        co_return co_await checked_contents(headers_, host.name(), std::move(answer->value));
    }
    auto error = answer.error();
    if (!error.denied_by_all) {
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
