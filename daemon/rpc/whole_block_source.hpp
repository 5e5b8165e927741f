// Whole final blocks with their outcomes, from a service that makes them. Along the head the JSON-RPC hosts
// take the place of a service that is late or down, until it keeps up again (docs/decisions/0057, 0064).
#pragma once

#include "base/task_group.hpp"
#include "rpc/source.hpp"
#include "rpc/time_and_chance.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace receiptd::rpc {

// A maker of whole blocks: a host of its own, or the nodes themselves.
class WholeBlockService {
public:
    virtual ~WholeBlockService() = default;

    struct Head {
        chain::BlockRef block;
        bool is_whole = false;  // its contents were told, too
    };
    // The newest final block.
    virtual base::Task<base::Result<Head, Unavailable>> head() = 0;
    // As BlockSource::fetch().
    virtual base::Task<FetchResult> fetch(chain::BlockHeight height, Priority priority, bool with_chunks) = 0;
    virtual bool waits_for_next() const = 0;
};

class WholeBlockSource final : public BlockSource {
public:
    // `elsewhere`: JSON-RPC hosts; null: there are none.
    WholeBlockSource(base::asio::any_io_executor executor, std::shared_ptr<TimeAndChance> time,
                     std::unique_ptr<WholeBlockService> service, std::shared_ptr<BlockSource> elsewhere);

    // Asks a late service for the newest block, until it keeps up, where its head says nothing of that.
    base::Task<void> run() override;
    base::Task<base::Result<chain::BlockRef, Unavailable>> head() override;
    // A block of the service that can be read in part gives way to that of the hosts, if all of it can be
    // read.
    base::Task<FetchResult> fetch(chain::BlockHeight height, Priority priority, bool with_chunks) override;
    base::Task<FetchResult> fetch_elsewhere(chain::BlockHeight height, Priority priority,
                                            bool with_chunks) override;
    bool waits_for_next() const override { return service_->waits_for_next(); }
    bool tells_outcomes() const override { return true; }

private:
    base::Task<FetchResult> fetch_once(chain::BlockHeight height, Priority priority, bool with_chunks);
    base::Task<FetchResult> ask_hosts(chain::BlockHeight height, bool with_chunks);
    enum class Side : std::uint8_t { service, hosts };
    struct Race;
    base::Task<FetchResult> race(chain::BlockHeight height, bool with_chunks);
    base::Task<Side> winner(std::shared_ptr<Race> race, base::TaskGroup& asking, Side first,
                            chain::BlockHeight height, bool with_chunks);
    base::Task<void> ask_one(std::shared_ptr<Race> race, Side side, chain::BlockHeight height,
                             bool with_chunks);
    base::Task<base::Result<chain::BlockRef, Unavailable>> head_of_hosts(Unavailable fault);
    // Whether a fault of the service, which has just been seen, lasts for long.
    bool is_long(std::optional<base::SteadyTime>& since) const;
    void set_late(bool late, chain::BlockHeight height, const std::string& why);
    void saw_head(chain::BlockHeight height, base::Duration waited);

    base::asio::any_io_executor executor_;
    std::shared_ptr<TimeAndChance> time_;
    std::unique_ptr<WholeBlockService> service_;
    std::shared_ptr<BlockSource> elsewhere_;
    bool late_ = false;                               // the hosts are asked first
    std::optional<WholeBlockService::Head> head_;     // the last one
    std::optional<base::SteadyTime> failing_since_;   // the service tells nothing but faults
    std::optional<base::SteadyTime> headless_since_;  // the service tells no head
    chain::BlockHeight told_elsewhere_ = 0;           // the highest block that the hosts told
};

}  // namespace receiptd::rpc
