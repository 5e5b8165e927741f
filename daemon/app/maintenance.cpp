#include "app/maintenance.hpp"

#include "base/log.hpp"
#include "base/sleep.hpp"
#include "metrics/registry.hpp"

namespace receiptd::app {
namespace {

using namespace std::chrono_literals;

constexpr auto kPartitionsEvery = 5min;
constexpr auto kRetentionAgain = 1min;
constexpr int kRounds = 12;  // one of them deletes old rows, too

// False: partitions past retention are left.
base::Task<bool> maintain_once(Runtime& runtime) {
    try {
        const bool is_done =
            co_await runtime.database.maintain(runtime.clock.wall(), keep_of(runtime.settings.retention));
        runtime.daemon_series.maintenance_done.Increment();
        co_return is_done;
    } catch (const storage::StorageError& e) {
        runtime.daemon_series.maintenance_failed.Increment();
        log::error("maintenance of the database failed; trying again in an hour", {{"because", e.what()}});
        co_return true;
    }
}

base::Task<bool> keep_partitions(Runtime& runtime) {
    try {
        co_return co_await runtime.database.keep_partitions(runtime.clock.wall(),
                                                            keep_of(runtime.settings.retention));
    } catch (const storage::StorageError& e) {
        log::warn("partitions can be neither made, dropped nor measured; trying again in 5 minutes",
                  {{"because", e.what()}});
        co_return true;
    }
}

}  // namespace

base::Task<void> maintain(Runtime& runtime) {
    base::asio::steady_timer timer(runtime.context);
    for (int round = 0;; round = (round + 1) % kRounds) {
        bool is_done = false;
        if (round == 0)
            is_done = co_await maintain_once(runtime);
        else
            is_done = co_await keep_partitions(runtime);
        const auto pause = is_done ? kPartitionsEvery : kRetentionAgain;
        co_await base::sleep_on(timer, pause);
    }
}

}  // namespace receiptd::app
