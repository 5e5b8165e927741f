#include "follow/leadership.hpp"

#include "base/coroutine.hpp"
#include "base/log.hpp"
#include "base/sleep.hpp"
#include "metrics/registry.hpp"

#include <utility>

namespace receiptd::follow {
namespace {

constexpr auto kLookEvery = std::chrono::seconds(1);

}  // namespace

Leadership::Leadership(base::asio::any_io_executor executor, storage::LeaseStore& store, IsGone is_gone,
                       metrics::FollowSeries& series)
    : executor_(std::move(executor)), store_(store), is_gone_(std::move(is_gone)), series_(series) {}

base::Task<void> Leadership::run() {
    base::asio::steady_timer timer(executor_);
    while (!resigned_) {
        co_await look();
        co_await base::sleep_on(timer, kLookEvery);
    }
}

base::Task<void> Leadership::look() {
    auto lease = co_await store_.hold(std::string());
    // Nobody needs to wait for a lease whose holder was killed on this machine.
    if (!lease.mine && is_gone_(lease.process)) {
        auto holder = lease.holder;
        lease = co_await store_.hold(std::move(holder));
    }
    learn(std::move(lease));
}

base::Task<void> Leadership::resign() {
    resigned_ = true;
    if (epoch()) co_await store_.release();
}

std::optional<std::int64_t> Leadership::epoch() const {
    if (!lease_ || !lease_->mine) return std::nullopt;
    return lease_->epoch;
}

void Leadership::learn(storage::Lease lease) {
    const bool is_new = !lease_ || lease_->epoch != lease.epoch || lease_->mine != lease.mine;
    lease_ = std::move(lease);
    if (!is_new) return;
    series_.leader.Set(lease_->mine ? 1 : 0);
    if (lease_->mine)
        log::info("this daemon leads: it follows the head", {{"epoch", lease_->epoch}});
    else
        log::info("another daemon leads; this one waits to take over",
                  {{"leader", lease_->place}, {"epoch", lease_->epoch}});
    changed.notify_all();
}

}  // namespace receiptd::follow
