#include "app/maintenance.hpp"

#include "base/log.hpp"
#include "base/sleep.hpp"
#include "metrics/registry.hpp"

namespace receiptd::app {
namespace {

using namespace std::chrono_literals;

constexpr auto kMeasureEvery = 5min;
constexpr auto kRetentionAgain = 1min;
constexpr int kMeasurements = 12;  // between two rounds of maintenance

// False: partitions past retention are left.
base::Task<bool> maintain_once(Runtime& runtime) {
    try {
        const bool is_done =
            co_await runtime.database.maintain(runtime.clock.wall(), runtime.settings.retention.keep);
        runtime.daemon_series.maintenance_done.Increment();
        co_return is_done;
    } catch (const storage::StorageError& e) {
        runtime.daemon_series.maintenance_failed.Increment();
        log::error("maintenance of the database failed; trying again in an hour", {{"because", e.what()}});
        co_return true;
    }
}

base::Task<void> measure(Runtime& runtime) {
    try {
        co_await runtime.database.measure();
    } catch (const storage::StorageError& e) {
        log::warn("the size of the tables cannot be measured", {{"because", e.what()}});
    }
}

}  // namespace

base::Task<void> maintain(Runtime& runtime) {
    base::asio::steady_timer timer(runtime.context);
    while (true) {
        if (!co_await maintain_once(runtime)) {
            co_await base::sleep_on(timer, kRetentionAgain);
            continue;
        }
        for (int i = 0; i < kMeasurements; ++i) {
            co_await base::sleep_on(timer, kMeasureEvery);
            co_await measure(runtime);
        }
    }
}

}  // namespace receiptd::app
