// Has the timed rules judged once a minute of chain time, while this daemon leads.
#pragma once

#include "base/clock.hpp"
#include "base/task.hpp"
#include "metrics/alert_series.hpp"
#include "storage/timed_rule_store.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

namespace receiptd::alert {

inline constexpr std::chrono::seconds kJudgedEvery{60};  // of chain time

// The chain as this daemon sees it.
struct JudgedChain {
    std::function<std::optional<std::int64_t>()> epoch;  // nullopt: another daemon leads
    std::function<std::optional<base::WallTime>()>
        newest;  // stored block; nullopt: it is not that of the head
};

class TimedRules {
public:
    TimedRules(base::asio::any_io_executor executor, storage::TimedRuleStore& store, JudgedChain chain,
               metrics::AlertSeries& series);

    // Until it is cancelled.
    base::Task<void> run();
    // One look: judges if a minute has passed, or if history is still counted.
    base::Task<void> look();
    // Another daemon leads: this one knows nothing of the rules any more.
    void rest();
    // As they were judged last; nullopt: they were not.
    const std::optional<storage::TimedReport>& report() const { return report_; }

private:
    bool is_due(base::WallTime newest) const;
    void show(std::optional<storage::TimedReport> report);

    base::asio::any_io_executor executor_;
    storage::TimedRuleStore& store_;
    JudgedChain chain_;
    metrics::AlertSeries& series_;
    std::optional<storage::TimedReport> report_;
    std::optional<base::WallTime> judged_at_;  // newest block at that time
};

}  // namespace receiptd::alert
