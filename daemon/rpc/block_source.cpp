#include "rpc/block_source.hpp"

#include "base/coroutine.hpp"
#include "base/task_group.hpp"
#include "chain/proof/header_hash.hpp"
#include "chain/proof/outcomes_root.hpp"
#include "rpc/block_contents.hpp"
#include "rpc/chunk_search.hpp"
#include "rpc/questions.hpp"

#include <utility>

namespace receiptd::rpc {
namespace {

using DecodedBlock = chain::Decoded<chain::Block>;
using DecodedChunk = chain::Decoded<chain::Chunk>;

constexpr std::size_t kKeptBlocks = 4;
constexpr unsigned kMostFalseHeaders = 3;  // of hosts that are asked one after the other

}  // namespace

Decoder<DecodedBlock> block_decoder(std::optional<chain::BlockHeight> height) {
    return [height](std::string body) -> base::Result<DecodedBlock, std::string> {
        auto block = chain::decode_block_answer(std::move(body), chain::Parts::readable);
        if (!block) return refuse<DecodedBlock>(block.error());
        const auto told = block->value.header.height;
        if (told > kHighest)
            return refuse<DecodedBlock>("height " + std::to_string(told) + " is beyond any chain");
        if (height && told != *height)
            return refuse<DecodedBlock>("asked for block " + std::to_string(*height) + ", got " +
                                        std::to_string(told));
        block->value.header.hash_is = chain::header_hash(*block->document, block->value.header);
        block->value.covers_chunks = chain::covers_chunks(block->value);
        return std::move(*block);
    };
}

Decoder<chain::BlockRef> block_with_hash(std::string hash) {
    return [hash = std::move(hash), decode = block_decoder(std::nullopt)](
               std::string body) -> base::Result<chain::BlockRef, std::string> {
        const auto block = decode(std::move(body));
        if (!block) return refuse<chain::BlockRef>(block.error());
        if (block->value.header.hash != hash)
            return refuse<chain::BlockRef>("asked for block " + hash + ", got " +
                                           std::string(block->value.header.hash));
        return chain::block_ref(block->value.header);
    };
}

struct RpcBlockSource::Chunks {
    std::vector<SharedChunk> values;
    std::optional<CallError> error;
};

Unavailable doubted(const Upstream& host) {
    return {"doubted", host.name() + " has told what is not of this chain"};
}

Unavailable unavailable(CallError error) { return {std::move(error.reason), std::move(error.detail)}; }

RpcBlockSource::RpcBlockSource(base::asio::any_io_executor executor, base::asio::thread_pool& pool,
                               std::shared_ptr<Router> router, std::shared_ptr<BlockCache> cache,
                               std::shared_ptr<HeaderCheck> headers, std::shared_ptr<ListedReceipts> listed)
    : executor_(std::move(executor)),
      pool_(pool),
      router_(std::move(router)),
      cache_(std::move(cache)),
      headers_(std::move(headers)),
      listed_(std::move(listed)) {}

base::Task<base::Result<chain::BlockRef, Unavailable>> RpcBlockSource::head() {
    auto call = ask_final_block(Priority::head);
    auto decode = block_decoder(std::nullopt);
    auto answer = co_await decoded_call<DecodedBlock>(*router_, pool_, std::move(call), std::move(decode));
    if (!answer) co_return unavailable(answer.error());
    auto& host = *router_->hosts()[answer->host];
    host.showed(answer->value.value.header);
    auto told = chain::block_ref(answer->value.value.header);
    if (host.doubted()) co_return doubted(host);
    host.saw_block(told.height);
    if (told.height == router_->known_head()) keep(std::move(*answer));
    co_return std::move(told);
}

base::Task<FetchResult> RpcBlockSource::fetch(chain::BlockHeight height, Priority priority,
                                              bool with_chunks) {
    auto found = co_await find(height, priority);
    if (auto* without = std::get_if<FetchResult>(&found)) co_return std::move(*without);
    co_return co_await complete(std::move(std::get<BlockAnswer>(found)), priority, with_chunks);
}

base::Task<std::variant<RpcBlockSource::BlockAnswer, FetchResult>> RpcBlockSource::find(
    chain::BlockHeight height, Priority priority) {
    if (height > router_->known_head().value_or(0)) {
        auto newest = co_await head();
        if (!newest) co_return FetchResult(newest.error());
        // The host might show a block that is not final.
        if (height > newest->height) co_return FetchResult(NotYet{});
    }
    auto told = co_await block_at(height, priority);
    if (const auto* block = std::get_if<BlockAnswer>(&told))
        cache_->put(chain::block_ref(block->value.value.header));
    co_return std::move(told);
}

base::Task<FetchResult> RpcBlockSource::complete(BlockAnswer block, Priority priority, bool with_chunks) {
    const auto height = block.value.value.header.height;
    std::vector<SharedChunk> chunks;
    if (with_chunks) {
        const auto fetched = co_await fetch_chunks(block, priority);
        if (fetched->error) {
            keep(std::move(block));
            co_return unavailable(std::move(*fetched->error));
        }
        chunks = std::move(fetched->values);
        early_chunks_.drop(height);
        if (listed_) listed_->put(height, chunks);
    }
    auto& host = *router_->hosts()[block.host];
    co_return std::make_unique<RpcBlock>(host.name(), std::move(block.value), std::move(chunks));
}

base::Task<std::variant<RpcBlockSource::BlockAnswer, FetchResult>> RpcBlockSource::block_at(
    chain::BlockHeight height, Priority priority) {
    auto block = take(height);
    for (unsigned false_ones = 1;; ++false_ones) {
        if (!block) {
            auto answer = co_await ask_for_block(height, priority);
            if (!answer) {
                auto error = answer.error();
                if (error.absent && error.reason == "UNKNOWN_BLOCK")
                    co_return FetchResult(NoSuchHeight{error.detail});
                if (error.error_class == ErrorClass::not_yet) co_return FetchResult(NotYet{});
                co_return FetchResult(unavailable(std::move(error)));
            }
            block = std::move(*answer);
            router_->hosts()[block->host]->showed(block->value.value.header);
        }
        if (!headers_) co_return std::move(*block);
        auto refusal = co_await headers_->refusal(block->value.value, router_->hosts()[block->host]->name());
        if (!refusal) co_return std::move(*block);
        if (refusal->reason != kFalseHeader || false_ones == kMostFalseHeaders)
            co_return FetchResult(std::move(*refusal));
        block.reset();
    }
}

base::Task<base::Result<RpcBlockSource::BlockAnswer, CallError>> RpcBlockSource::ask_for_block(
    chain::BlockHeight height, Priority priority) {
    return decoded_call<DecodedBlock>(*router_, pool_, ask_block(height, priority), block_decoder(height));
}

base::Task<void> RpcBlockSource::fetch_chunk(std::shared_ptr<Chunks> chunks, std::size_t index, Call call,
                                             std::string hash) {
    auto decode = chunk_decoder(std::move(hash));
    auto answer = co_await decoded_call<DecodedChunk>(*router_, pool_, std::move(call), std::move(decode));
    if (answer)
        chunks->values[index] = std::make_shared<const DecodedChunk>(std::move(answer->value));
    else
        chunks->error = answer.error();
}

base::Task<base::Result<EarlyBlock, Unavailable>> RpcBlockSource::early(BlockAnswer block) {
    const auto fetched = co_await fetch_chunks(block, Priority::watch, Finality::optimistic);
    EarlyBlock told{chain::block_ref(block.value.value.header), router_->hosts()[block.host]->name(), {}};
    std::map<std::string, SharedChunk> kept;
    std::uint64_t bytes = 0;
    for (const auto& chunk : fetched->values) {
        if (!chunk) continue;
        for (const auto& transaction : chunk->value.transactions)
            told.tx_hashes.emplace_back(transaction.hash);
        // Another host may tell more of one that can be read in part, once it is final.
        if (!chunk->unreadable.empty()) continue;
        kept.emplace(chunk->value.header.chunk_hash, chunk);
        bytes += chunk->document->capacity();
    }
    early_chunks_.put(told.block.height, std::move(kept), bytes);
    co_return std::move(told);
}

SharedChunk RpcBlockSource::kept_chunk(chain::BlockHeight height, const std::string& hash) {
    const auto* by_hash = early_chunks_.find(height);
    if (by_hash == nullptr) return nullptr;
    const auto found = by_hash->find(hash);
    return found == by_hash->end() ? nullptr : found->second;
}

base::Task<std::shared_ptr<RpcBlockSource::Chunks>> RpcBlockSource::fetch_chunks(const BlockAnswer& block,
                                                                                 Priority priority,
                                                                                 Finality finality) {
    const auto height = block.value.value.header.height;
    auto chunks = std::make_shared<Chunks>();
    base::TaskGroup group(executor_);
    std::size_t count = 0;
    for (const auto& header : block.value.value.chunks)
        if (header.height_included == height) ++count;
    chunks->values.resize(count);
    std::size_t index = 0;
    for (const auto& header : block.value.value.chunks) {
        if (header.height_included != height) continue;  // an old chunk's header, repeated
        std::string hash(header.chunk_hash);
        if (auto kept = kept_chunk(height, hash)) {
            chunks->values[index++] = std::move(kept);
            continue;
        }
        auto call = ask_chunk(hash, height, header.shard_id, priority);
        if (finality == Finality::optimistic) {
            // A host that invents a block has to answer for it.
            call = before_final(std::move(call));
            call.only_host = block.host;
        }
        call.first_host = block.host;
        group.spawn(fetch_chunk(chunks, index++, std::move(call), std::move(hash)));
    }
    co_await group.join();
    co_return chunks;
}

void RpcBlockSource::keep(BlockAnswer block) {
    const auto height = block.value.value.header.height;
    kept_.insert_or_assign(height, std::move(block));
    while (kept_.size() > kKeptBlocks) kept_.erase(kept_.begin());
}

std::optional<RpcBlockSource::BlockAnswer> RpcBlockSource::take(chain::BlockHeight height) {
    const auto found = kept_.find(height);
    if (found == kept_.end()) return std::nullopt;
    auto block = std::move(found->second);
    kept_.erase(found);
    return block;
}

}  // namespace receiptd::rpc
