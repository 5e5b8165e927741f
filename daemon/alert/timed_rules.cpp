#include "alert/timed_rules.hpp"

#include "base/log.hpp"
#include "base/sleep.hpp"
#include "storage/errors.hpp"

#include <numeric>
#include <string>
#include <utility>

namespace receiptd::alert {
namespace {

constexpr std::chrono::seconds kLookEvery{1};
constexpr std::chrono::seconds kAfterError{10};

// Nobody can tell what they would be.
storage::TimedReport not_at_head(const storage::TimedReport& before) {
    const auto rules =
        std::accumulate(before.rules.begin(), before.rules.end(), std::uint64_t{0},
                        [](std::uint64_t sum, const auto& entry) { return sum + entry.second; });
    storage::TimedReport report;
    if (rules > 0) report.rules[storage::TimedState::not_at_head] = rules;
    report.until = before.until;
    return report;
}

}  // namespace

TimedRules::TimedRules(base::asio::any_io_executor executor, storage::TimedRuleStore& store,
                       JudgedChain chain, metrics::AlertSeries& series)
    : executor_(std::move(executor)), store_(store), chain_(std::move(chain)), series_(series) {}

base::Task<void> TimedRules::run() {
    base::asio::steady_timer timer(executor_);
    while (true) {
        std::chrono::seconds pause = kLookEvery;
        try {
            co_await look();
        } catch (const storage::StorageError& e) {
            log::error("timed rules cannot be judged; trying again", {{"because", e.what()}});
            pause = kAfterError;
        }
        co_await base::sleep_on(timer, pause);
    }
}

base::Task<void> TimedRules::look() {
    const auto epoch = chain_.epoch();
    if (!epoch) co_return;
    const auto newest = chain_.newest();
    if (!newest && report_) show(not_at_head(*report_));
    if (!newest || !is_due(*newest)) co_return;
    auto report = co_await store_.evaluate(*epoch, *newest);
    if (!report) co_return;
    judged_at_ = newest;
    show(std::move(report));
}

// Also when it is at the head again.
bool TimedRules::is_due(base::WallTime newest) const {
    if (!judged_at_ || !report_ || report_->more) return true;
    if (report_->rules.contains(storage::TimedState::not_at_head)) return true;
    return newest >= *judged_at_ + kJudgedEvery || newest < *judged_at_;
}

void TimedRules::rest() {
    judged_at_.reset();
    show(std::nullopt);
}

void TimedRules::show(std::optional<storage::TimedReport> report) {
    report_ = std::move(report);
    for (const auto state : storage::kTimedStates) {
        const bool is_known = report_ && report_->rules.contains(state);
        series_.set_timed_rules(std::string(storage::timed_state_name(state)),
                                is_known ? static_cast<double>(report_->rules.at(state)) : 0);
    }
}

}  // namespace receiptd::alert
