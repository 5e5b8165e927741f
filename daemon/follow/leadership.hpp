// Which of the daemons on one database follows the head. The lease is in the database; a former leader that
// does not know yet that it was replaced commits nothing of the head.
#pragma once

#include "base/event.hpp"
#include "base/task.hpp"
#include "metrics/follow_series.hpp"
#include "storage/lease_store.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace receiptd::follow {

class Leadership {
public:
    // Whether a process (storage::Lease::process) is known to run no more.
    using IsGone = std::function<bool(const std::string& process)>;

    Leadership(base::asio::any_io_executor executor, storage::LeaseStore& store, IsGone is_gone,
               metrics::FollowSeries& series);

    // Takes the lease if nobody has it, and looks at it every second, until it is cancelled.
    base::Task<void> run();
    // One look.
    base::Task<void> look();
    // Lets the next one lead, and takes the lease no more.
    base::Task<void> resign();

    // The epoch of this process while it leads; nullopt: another one does.
    std::optional<std::int64_t> epoch() const;
    // As it was seen last; nullopt: not looked at yet.
    const std::optional<storage::Lease>& lease() const { return lease_; }

    base::Signal changed;  // the leader

private:
    void learn(storage::Lease lease);

    base::asio::any_io_executor executor_;
    storage::LeaseStore& store_;
    IsGone is_gone_;
    metrics::FollowSeries& series_;
    std::optional<storage::Lease> lease_;
    bool resigned_ = false;
};

}  // namespace receiptd::follow
