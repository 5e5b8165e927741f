#include "rpc/chunk_search.hpp"

#include "base/coroutine.hpp"
#include "base/task_group.hpp"
#include "rpc/block_source.hpp"
#include "rpc/questions.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::rpc {

Decoder<chain::Decoded<chain::Chunk>> chunk_decoder(std::string hash) {
    using Told = chain::Decoded<chain::Chunk>;
    return [hash = std::move(hash)](std::string body) -> base::Result<Told, std::string> {
        auto chunk = chain::decode_chunk_answer(std::move(body), chain::Parts::readable);
        if (!chunk) return refuse<Told>(chunk.error());
        if (chunk->value.header.chunk_hash != hash)
            return refuse<Told>("asked for chunk " + hash + ", got " +
                                std::string(chunk->value.header.chunk_hash));
        return std::move(*chunk);
    };
}

// It outlives a caller that was cancelled.
struct ChunkSearch::Chunks {
    std::vector<SharedChunk> values;
};

ChunkSearch::ChunkSearch(base::asio::any_io_executor executor, base::asio::thread_pool& pool,
                         std::shared_ptr<Router> router, std::shared_ptr<ListedReceipts> listed)
    : executor_(executor),
      pool_(pool),
      router_(std::move(router)),
      listed_(std::move(listed)),
      answered_(std::move(executor)) {}

base::Task<void> ChunkSearch::fetch(chain::BlockHeight height, Priority priority) {
    while (asking_.contains(height)) co_await answered_.wait();
    if (listed_->has(height)) co_return;
    const auto end = [this, height](void*) {
        asking_.erase(height);
        answered_.notify_all();
    };
    asking_.insert(height);
    const std::unique_ptr<void, decltype(end)> asking(this, end);
    co_await fetch_chunks(height, priority);
}

base::Task<void> ChunkSearch::fetch_chunks(chain::BlockHeight height, Priority priority) {
    using DecodedBlock = chain::Decoded<chain::Block>;
    auto decode = block_decoder(height);
    const auto block =
        co_await decoded_call<DecodedBlock>(*router_, pool_, ask_block(height, priority), std::move(decode));
    if (!block) {
        if (block.error().absent && !block.error().doubtful) listed_->put(height, {});
        co_return;
    }
    auto chunks = std::make_shared<Chunks>();
    base::TaskGroup group(executor_);
    for (const auto& header : block->value.value.chunks) {
        if (header.height_included != height) continue;  // an old chunk's header, repeated
        std::string hash(header.chunk_hash);
        auto call = ask_chunk(hash, height, header.shard_id, priority);
        call.first_host = block->host;
        chunks->values.emplace_back();
        group.spawn(fetch_chunk(chunks, chunks->values.size() - 1, std::move(call), std::move(hash)));
    }
    co_await group.join();
    const bool all = std::all_of(chunks->values.begin(), chunks->values.end(),
                                 [](const auto& chunk) { return chunk != nullptr; });
    if (all) listed_->put(height, std::move(chunks->values));
}

base::Task<void> ChunkSearch::fetch_chunk(std::shared_ptr<Chunks> chunks, std::size_t index, Call call,
                                          std::string hash) {
    using Told = chain::Decoded<chain::Chunk>;
    auto decode = chunk_decoder(std::move(hash));
    auto answer = co_await decoded_call<Told>(*router_, pool_, std::move(call), std::move(decode));
    if (answer) chunks->values[index] = std::make_shared<const Told>(std::move(answer->value));
}

}  // namespace receiptd::rpc
