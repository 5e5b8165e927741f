#include "follow/final_block.hpp"

#include "base/coroutine.hpp"

#include <utility>

namespace receiptd::follow {

base::Task<base::Result<chain::BlockRef, rpc::Unavailable>> final_block(storage::BlockStore& stored,
                                                                        rpc::TreeSource& hosts,
                                                                        std::string hash,
                                                                        base::Height final_height,
                                                                        rpc::Priority priority) {
    auto block = co_await stored.stored_block_by_hash(hash);
    if (block) co_return std::move(*block);
    co_return co_await hosts.final_block(std::move(hash), final_height, priority);
}

}  // namespace receiptd::follow
