// Source neardata: whole final blocks with their outcomes, one GET each (providers.md §2). Along the head the
// JSON-RPC hosts take the place of a service that is late or down, until it keeps up again
// (docs/decisions/0057).
#pragma once

#include "base/task_group.hpp"
#include "rpc/decoded_call.hpp"
#include "rpc/header_check.hpp"
#include "rpc/source.hpp"
#include "rpc/time_and_chance.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <cstdint>
#include <memory>
#include <optional>

namespace receiptd::rpc {

class NeardataSource final : public BlockSource {
public:
    // `headers`: null takes each header as it is told. `elsewhere`: JSON-RPC hosts; null: there are none.
    NeardataSource(base::asio::any_io_executor executor, base::asio::thread_pool& pool,
                   std::shared_ptr<TimeAndChance> time, std::shared_ptr<Router> router,
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
    base::Task<FetchResult> ask_service(chain::BlockHeight height, Priority priority);
    base::Task<FetchResult> ask_hosts(chain::BlockHeight height, bool with_chunks);
    enum class Side : std::uint8_t { service, hosts };
    struct Race;
    base::Task<FetchResult> race(chain::BlockHeight height, bool with_chunks);
    base::Task<Side> winner(std::shared_ptr<Race> race, base::TaskGroup& asking, Side first,
                            chain::BlockHeight height, bool with_chunks);
    base::Task<void> ask_one(std::shared_ptr<Race> race, Side side, chain::BlockHeight height,
                             bool with_chunks);
    bool fails_for_long();  // the service, which has just told a fault
    void set_late(bool late, chain::BlockHeight height);
    void saw_head(chain::BlockHeight height, base::Duration waited);
    base::Task<FetchResult> checked(chain::Decoded<chain::WholeBlock> whole);

    base::asio::any_io_executor executor_;
    base::asio::thread_pool& pool_;
    std::shared_ptr<TimeAndChance> time_;
    std::shared_ptr<Router> router_;
    std::shared_ptr<HeaderCheck> headers_;
    std::shared_ptr<BlockSource> elsewhere_;
    bool late_ = false;                              // the hosts are asked first
    std::optional<base::SteadyTime> failing_since_;  // the service tells nothing but faults
    chain::BlockHeight told_elsewhere_ = 0;          // the highest block that the hosts told
    std::optional<chain::Decoded<chain::WholeBlock>> kept_;
};

// `height`: nullopt takes the block at any height.
Decoder<chain::Decoded<chain::WholeBlock>> whole_block_decoder(std::optional<chain::BlockHeight> height);

}  // namespace receiptd::rpc
