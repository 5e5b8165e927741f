// The next few heights being fetched at once, taken in order. Faults are waited out up to a
// patience; what comes out is contents, "no such height" or "unavailable".
#pragma once

#include "base/task_group.hpp"
#include "follow/state.hpp"
#include "rpc/source.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <exception>
#include <map>
#include <memory>
#include <optional>

namespace receiptd::follow {

struct FetchSettings {
    rpc::Priority priority = rpc::Priority::head;
    bool with_chunks = true;
    base::Duration patience = std::chrono::seconds(60);  // zero: one attempt
};

class FetchWindow {
public:
    FetchWindow(base::asio::any_io_executor executor, rpc::BlockSource& source, State& state,
                FetchSettings settings);

    void start(base::Height height);  // unless started already
    bool started(base::Height height) const { return slots_.count(height) > 0; }
    bool ready(base::Height height) const;
    std::size_t size() const { return slots_.size(); }

    // Results of heights below are not wanted any more.
    void forget_below(base::Height height) { slots_.erase(slots_.begin(), slots_.lower_bound(height)); }

    // Interrupts the fetches under way and waits until they have ended. Call before destruction.
    base::Task<void> close();

    // Waits for the height's result and forgets it; nullopt when the state is stopping first. The
    // height must have been started. Rethrows what a source has thrown, for whatever height.
    base::Task<std::optional<rpc::FetchResult>> take(base::Height height);

private:
    struct Slot {
        std::optional<rpc::FetchResult> result;
    };
    base::Task<void> fill(base::Height height, std::shared_ptr<Slot> slot);
    base::Task<rpc::FetchResult> fetch_patiently(base::Height height);

    base::asio::any_io_executor executor_;
    rpc::BlockSource& source_;
    State& state_;
    FetchSettings settings_;
    std::map<base::Height, std::shared_ptr<Slot>> slots_;
    base::Wakeup filled_;
    std::exception_ptr failure_;
    base::TaskGroup tasks_;
};

}  // namespace receiptd::follow
