// Whole blocks that nodes make themselves: `EXPERIMENTAL_indexer_block`, nearcore 2.14 (rpc.md §9.1). Two
// questions a height: its block, and by the block's hash its contents.
#pragma once

#include "rpc/block_source.hpp"
#include "rpc/early_blocks.hpp"
#include "rpc/whole_block_check.hpp"
#include "rpc/whole_block_source.hpp"

#include <memory>
#include <string>

namespace receiptd::rpc {

class IndexerService final : public WholeBlockService {
public:
    // `headers`: null takes each header as it is told.
    IndexerService(base::asio::thread_pool& pool, std::shared_ptr<Router> router,
                   std::shared_ptr<RpcBlockSource> blocks, std::shared_ptr<HeaderCheck> headers = nullptr);

    base::Task<base::Result<Head, Unavailable>> head() override;
    // A block that no host can make whole comes with its chunks alone, as source rpc has it.
    base::Task<FetchResult> fetch(chain::BlockHeight height, Priority priority, bool with_chunks) override;
    bool waits_for_next() const override { return false; }

    // A block that is not final yet: it is kept until it is.
    base::Task<base::Result<EarlyBlock, Unavailable>> early(RpcBlockSource::BlockAnswer block);

private:
    using Whole = chain::Decoded<chain::WholeBlock>;
    base::Task<base::Result<Answer<Whole>, CallError>> ask(const RpcBlockSource::BlockAnswer& block,
                                                           Call call);
    struct Early {
        std::string host;
        Whole whole;
    };
    std::optional<Early> take_early(const chain::Block& block);

    base::asio::thread_pool& pool_;
    std::shared_ptr<Router> router_;
    std::shared_ptr<RpcBlockSource> blocks_;
    std::shared_ptr<HeaderCheck> headers_;
    KeptEarly<Early> early_;
    bool said_that_none_is_made_ = false;
};

// Reads a whole block, and refuses one that differs from the block that is known by its hash.
Decoder<chain::Decoded<chain::WholeBlock>> indexer_block_decoder(KnownBlock known);

}  // namespace receiptd::rpc
