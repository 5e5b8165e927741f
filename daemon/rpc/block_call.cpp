#include "rpc/block_call.hpp"

#include "base/coroutine.hpp"
#include "rpc/questions.hpp"

#include <utility>

namespace receiptd::rpc {
namespace {

using HashedBlock = chain::Decoded<chain::Block>;

Decoder<HashedBlock> hashed_block_decoder(std::string hash) {
    return [hash = std::move(hash)](std::string body) -> base::Result<HashedBlock, std::string> {
        auto block = chain::decode_block_answer(std::move(body));
        if (!block) return refuse<HashedBlock>(block.error());
        if (block->value.header.hash != hash)
            return refuse<HashedBlock>("asked for block " + hash + ", got " +
                                       std::string(block->value.header.hash));
        return std::move(*block);
    };
}

}  // namespace

base::Task<base::Result<chain::BlockRef, CallError>> call_block(Router& router, base::asio::thread_pool& pool,
                                                                std::shared_ptr<BlockCache> cache,
                                                                std::string hash, Priority priority) {
    if (const auto* known = cache->find(hash)) co_return *known;
    auto call = ask_block(hash, priority);
    auto decode = hashed_block_decoder(std::move(hash));
    auto answer = co_await decoded_call<HashedBlock>(router, pool, std::move(call), std::move(decode));
    if (!answer) co_return answer.error();
    auto block = chain::block_ref(answer->value.value.header);
    cache->put(block);
    co_return std::move(block);
}

}  // namespace receiptd::rpc
