// Fetches the chunks of blocks for the receipts that they list (ListedReceipts), each block once.
#pragma once

#include "base/event.hpp"
#include "rpc/decoded_call.hpp"
#include "rpc/listed_receipts.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace receiptd::rpc {

// Reads a chunk, which must have this hash.
Decoder<chain::Decoded<chain::Chunk>> chunk_decoder(std::string hash);

class ChunkSearch {
public:
    ChunkSearch(base::asio::any_io_executor executor, base::asio::thread_pool& pool,
                std::shared_ptr<Router> router, std::shared_ptr<ListedReceipts> listed);

    // Returns once the chunks of that block are in hand, or could not be had.
    base::Task<void> fetch(chain::BlockHeight height, Priority priority);

private:
    struct Chunks;
    base::Task<void> fetch_chunks(chain::BlockHeight height, Priority priority);
    base::Task<void> fetch_chunk(std::shared_ptr<Chunks> chunks, std::size_t index, Call call,
                                 std::string hash);

    base::asio::any_io_executor executor_;
    base::asio::thread_pool& pool_;
    std::shared_ptr<Router> router_;
    std::shared_ptr<ListedReceipts> listed_;
    base::Event answered_;
    std::set<chain::BlockHeight> asking_;
};

}  // namespace receiptd::rpc
