// Asks for a block by its hash; what is in the cache is not asked for.
#pragma once

#include "rpc/block_cache.hpp"
#include "rpc/decoded_call.hpp"

#include <memory>
#include <string>

namespace receiptd::rpc {

// Reads a block, which must have this hash.
Decoder<chain::BlockRef> block_with_hash(std::string hash);

base::Task<base::Result<chain::BlockRef, CallError>> call_block(Router& router, base::asio::thread_pool& pool,
                                                                std::shared_ptr<BlockCache> cache,
                                                                std::string hash, Priority priority);

}  // namespace receiptd::rpc
