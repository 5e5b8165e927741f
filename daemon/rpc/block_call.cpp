#include "rpc/block_call.hpp"

#include "base/coroutine.hpp"
#include "rpc/questions.hpp"

#include <utility>

namespace receiptd::rpc {

Decoder<chain::BlockRef> block_with_hash(std::string hash) {
    return [hash = std::move(hash)](std::string body) -> base::Result<chain::BlockRef, std::string> {
        const auto block = chain::decode_block_answer(std::move(body));
        if (!block) return refuse<chain::BlockRef>(block.error());
        if (block->value.header.hash != hash)
            return refuse<chain::BlockRef>("asked for block " + hash + ", got " +
                                           std::string(block->value.header.hash));
        return chain::block_ref(block->value.header);
    };
}

base::Task<base::Result<chain::BlockRef, CallError>> call_block(Router& router, base::asio::thread_pool& pool,
                                                                std::shared_ptr<BlockCache> cache,
                                                                std::string hash, Priority priority) {
    if (const auto* known = cache->find(hash)) co_return *known;
    auto call = ask_block(hash, priority);
    auto decode = block_with_hash(std::move(hash));
    auto answer = co_await decoded_call<chain::BlockRef>(router, pool, std::move(call), std::move(decode));
    if (!answer) co_return answer.error();
    cache->put(answer->value);
    co_return std::move(answer->value);
}

}  // namespace receiptd::rpc
