// Source neardata: whole final blocks with their outcomes, one GET each (providers.md §2).
#pragma once

#include "rpc/decoded_call.hpp"
#include "rpc/header_check.hpp"
#include "rpc/source.hpp"

#include <memory>
#include <optional>

namespace receiptd::rpc {

class NeardataSource final : public BlockSource {
public:
    // `headers`: null takes each header as it is told. `elsewhere`: JSON-RPC hosts; null: there are none.
    NeardataSource(base::asio::thread_pool& pool, std::shared_ptr<Router> router,
                   std::shared_ptr<HeaderCheck> headers = nullptr,
                   std::shared_ptr<BlockSource> elsewhere = nullptr);

    // The newest final block; it is kept, so that fetching its height costs nothing.
    base::Task<base::Result<chain::BlockRef, Unavailable>> head() override;
    // A whole block either way: `with_chunks` would save nothing that old blocks do not need.
    base::Task<FetchResult> fetch(chain::BlockHeight height, Priority priority, bool with_chunks) override;
    base::Task<FetchResult> fetch_elsewhere(chain::BlockHeight height, Priority priority,
                                            bool with_chunks) override;
    bool waits_for_next() const override { return true; }
    bool tells_outcomes() const override { return true; }

private:
    const Upstream& host() const { return *router_->hosts().front(); }
    base::Task<FetchResult> checked(chain::Decoded<chain::WholeBlock> whole);

    base::asio::thread_pool& pool_;
    std::shared_ptr<Router> router_;
    std::shared_ptr<HeaderCheck> headers_;
    std::shared_ptr<BlockSource> elsewhere_;
    std::optional<chain::Decoded<chain::WholeBlock>> kept_;
};

// `height`: nullopt takes the block at any height.
Decoder<chain::Decoded<chain::WholeBlock>> whole_block_decoder(std::optional<chain::BlockHeight> height);

}  // namespace receiptd::rpc
