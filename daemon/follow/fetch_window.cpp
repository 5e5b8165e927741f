#include "follow/fetch_window.hpp"

#include "base/backoff.hpp"
#include "base/sleep.hpp"
#include "metrics/registry.hpp"

#include <utility>

namespace receiptd::follow {
namespace {

using namespace std::chrono_literals;

// A host that lags behind the one that told the head is asked again this often.
constexpr auto kLagRetry = 100ms;

// Alerts wait for what the head waits for; the router spares a host that is ill.
constexpr base::BackoffPolicy kAtHead{250ms, 2s, 2.0, 0.3};
constexpr base::BackoffPolicy kElsewhere{250ms, 10s, 2.0, 0.3};

const base::BackoffPolicy& backoff_of(rpc::Priority priority) {
    return priority == rpc::Priority::head ? kAtHead : kElsewhere;
}

}  // namespace

FetchWindow::FetchWindow(base::asio::any_io_executor executor, rpc::BlockSource& source, State& state,
                         FetchSettings settings)
    : executor_(executor),
      source_(source),
      state_(state),
      settings_(settings),
      filled_(executor, {&state.stop.signal}),
      tasks_(executor, [this](const std::exception_ptr& error) {
          failure_ = error;
          filled_.notify();
      }) {}

void FetchWindow::start(base::Height height) {
    if (started(height)) return;
    auto slot = std::make_shared<Slot>();
    slots_.emplace(height, slot);
    tasks_.spawn(fill(height, std::move(slot)));
}

bool FetchWindow::ready(base::Height height) const {
    const auto at = slots_.find(height);
    return at != slots_.end() && at->second->result.has_value();
}

base::Task<std::optional<rpc::FetchResult>> FetchWindow::take(base::Height height) {
    const auto slot = slots_.at(height);
    while (!slot->result && !failure_ && !state_.stop.requested()) co_await filled_.wait();
    if (!slot->result && failure_) std::rethrow_exception(failure_);
    slots_.erase(height);
    co_return std::move(slot->result);
}

base::Task<void> FetchWindow::close() {
    tasks_.cancel();
    co_await tasks_.join();
}

base::Task<void> FetchWindow::fill(base::Height height, std::shared_ptr<Slot> slot) {
    const auto started_at = state_.clock.steady();
    auto result = co_await fetch_patiently(height);
    const auto seconds = static_cast<double>((state_.clock.steady() - started_at).count()) / 1e9;
    state_.series.fetch_seconds.Observe(seconds);
    slot->result.emplace(std::move(result));
    filled_.notify();
}

base::Task<rpc::FetchResult> FetchWindow::fetch_patiently(base::Height height) {
    const auto deadline = state_.clock.steady() + settings_.patience;
    base::asio::steady_timer timer(executor_);
    for (unsigned attempt = 1;; ++attempt) {
        const auto asked_at = state_.clock.steady();
        auto result = co_await source_.fetch(height, settings_.priority, settings_.with_chunks);
        const bool not_yet = std::holds_alternative<rpc::NotYet>(result);
        if (!not_yet && !std::holds_alternative<rpc::Unavailable>(result)) co_return result;
        const bool above_head = not_yet && height > state_.head.height();
        if (!above_head && state_.clock.steady() >= deadline) {
            if (not_yet) result = rpc::Unavailable{"not_yet", "the hosts lag behind the head they told"};
            co_return result;
        }
        const bool waited = state_.clock.steady() - asked_at >= kLagRetry;
        if (above_head && source_.waits_for_next() && waited) continue;
        const auto delay =
            not_yet ? base::Duration(kLagRetry) : state_.wait_before(backoff_of(settings_.priority), attempt);
        co_await base::sleep_on(timer, delay);
    }
}

}  // namespace receiptd::follow
