// Whole final blocks of neardata, one GET each (providers.md §2).
#pragma once

#include "rpc/decoded_call.hpp"
#include "rpc/header_check.hpp"
#include "rpc/whole_block_source.hpp"

#include <memory>
#include <optional>

namespace receiptd::rpc {

class NeardataService final : public WholeBlockService {
public:
    // `headers`: null takes each header as it is told.
    NeardataService(base::asio::thread_pool& pool, std::shared_ptr<Router> router,
                    std::shared_ptr<HeaderCheck> headers = nullptr);

    // Always whole; it is kept, so that fetching its height costs nothing.
    base::Task<base::Result<Head, Unavailable>> head() override;
    // A whole block either way: `with_chunks` would save nothing that old blocks do not need.
    base::Task<FetchResult> fetch(chain::BlockHeight height, Priority priority, bool with_chunks) override;
    bool waits_for_next() const override { return true; }

private:
    Upstream& host() const { return *router_->hosts().front(); }

    base::asio::thread_pool& pool_;
    std::shared_ptr<Router> router_;
    std::shared_ptr<HeaderCheck> headers_;
    std::optional<chain::Decoded<chain::WholeBlock>> kept_;
};

// `height`: nullopt takes the block at any height.
Decoder<chain::Decoded<chain::WholeBlock>> whole_block_decoder(std::optional<chain::BlockHeight> height);

}  // namespace receiptd::rpc
