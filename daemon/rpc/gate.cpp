#include "rpc/gate.hpp"

#include "base/sleep.hpp"

#include <algorithm>

namespace receiptd::rpc {

// One coroutine in the queue. Leaves the queue, or gives back what it was granted and never took,
// when its coroutine ends for whatever reason.
class Gate::Waiter {
public:
    Waiter(Gate& gate, Priority priority)
        : timer(gate.executor_), gate_(gate), ticket_(gate.admission_.join(priority)) {
        gate_.waiters_[ticket_] = this;
    }
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    ~Waiter() {
        gate_.waiters_.erase(ticket_);
        if (granted && !taken) gate_.admission_.finished();
        if (!taken) {
            gate_.admission_.leave(ticket_);
            gate_.pump();
        }
    }

    base::Duration rest(base::SteadyTime now) const {
        // Others wake a waiter that is not first; the hour only bounds its timer.
        return wake_at ? std::max(*wake_at - now, base::Duration::zero()) : std::chrono::hours(1);
    }

    base::asio::steady_timer timer;
    std::optional<base::SteadyTime> wake_at;
    bool granted = false;
    bool taken = false;
    bool sent_away = false;

private:
    Gate& gate_;
    Admission::Ticket ticket_;
};

Gate::Gate(base::asio::any_io_executor executor, std::shared_ptr<TimeAndChance> time,
           Admission::Limits limits)
    : executor_(std::move(executor)), time_(std::move(time)), admission_(limits, time_->now()) {}

base::Task<std::optional<Gate::Slot>> Gate::enter(Priority priority) {
    const auto self = shared_from_this();
    Waiter waiter(*this, priority);
    pump();
    while (!waiter.granted && !waiter.sent_away) {
        co_await time_->sleep(waiter.timer, waiter.rest(time_->now()));
        waiter.wake_at.reset();
        pump();
    }
    if (!waiter.granted) co_return std::nullopt;
    waiter.taken = true;
    co_return Slot(self);
}

void Gate::pump() {
    const auto now = time_->now();
    const auto decision = admission_.grant(now);
    for (const auto ticket : decision.granted) {
        const auto found = waiters_.find(ticket);
        if (found == waiters_.end()) continue;
        found->second->granted = true;
        found->second->timer.cancel();
    }
    const auto first = admission_.first();
    if (!decision.next || !first) return;
    const auto found = waiters_.find(*first);
    if (found == waiters_.end()) return;
    auto& waiter = *found->second;
    if (waiter.wake_at && *waiter.wake_at <= now + *decision.next) return;
    waiter.wake_at = now + *decision.next;
    waiter.timer.cancel();
}

void Gate::leave_slot() {
    admission_.finished();
    pump();
}

void Gate::block_until(base::SteadyTime until) {
    for (const auto ticket : admission_.block_until(until)) {
        const auto found = waiters_.find(ticket);
        if (found == waiters_.end()) continue;
        found->second->sent_away = true;
        found->second->timer.cancel();
    }
}

void Gate::unblock() {
    admission_.unblock();
    pump();
}

void Gate::set_limits(Admission::Limits limits) {
    admission_.set_limits(limits, time_->now());
    pump();
}

double Gate::load() const {
    const auto busy = static_cast<double>(admission_.in_flight()) + static_cast<double>(admission_.waiting());
    return busy / std::max(1u, admission_.max_in_flight());
}

}  // namespace receiptd::rpc
