// A block named by an outcome: looked up in the database first, then at the hosts.
#pragma once

#include "rpc/source.hpp"
#include "storage/block_store.hpp"

#include <string>

namespace receiptd::follow {

// As TreeSource::final_block; what is stored is final. Throws what the store throws.
base::Task<base::Result<chain::BlockRef, rpc::Unavailable>> final_block(storage::BlockStore& stored,
                                                                        rpc::TreeSource& hosts,
                                                                        std::string hash,
                                                                        base::Height final_height,
                                                                        rpc::Priority priority);

}  // namespace receiptd::follow
