// Looks at the parts of the runtime once a second, on the event loop, and tells the watchdog, which has a
// thread of its own.
#pragma once

#include "alert/watchdog.hpp"
#include "app/runtime.hpp"
#include "metrics/watchdog_series.hpp"

#include <functional>

namespace receiptd::app {

class WatchedParts {
public:
    // The runtime outlives it. `leads`: whether this daemon leads now.
    WatchedParts(Runtime& runtime, std::function<bool()> leads);

    // Until it is cancelled.
    base::Task<void> run();
    // Takes over what the runtime's settings say now.
    void reload();
    // Whether a part has done nothing for ten minutes though the database answers: nothing that it could wait
    // for takes so long.
    bool hangs() const;

private:
    alert::Readings readings();
    alert::PartReading follower(bool leads, base::SteadyTime now);
    std::string why_nothing_is_stored() const;

    Runtime& runtime_;
    std::function<bool()> leads_;
    metrics::WatchdogSeries series_;
    alert::Watchdog watchdog_;
    base::Height tip_ = 0;
    base::SteadyTime tip_moved_at_{};
};

}  // namespace receiptd::app
