#include "base/event.hpp"

#include "base/sleep.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>

namespace receiptd::base {

struct Event::Timer {
    explicit Timer(asio::any_io_executor executor)
        : never(std::move(executor), std::chrono::steady_clock::time_point::max()) {}
    asio::steady_timer never;  // expires; cancelled to wake the waiters
};

Event::Event(asio::any_io_executor executor) : timer_(std::make_unique<Timer>(std::move(executor))) {}
Event::~Event() = default;
Event::Event(Event&&) noexcept = default;
Event& Event::operator=(Event&&) noexcept = default;

Task<void> Event::wait() {
    boost::system::error_code ignored;
    co_await timer_->never.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

void Event::notify_all() { timer_->never.cancel(); }

namespace {

Task<void> sleep_for(asio::any_io_executor executor, std::chrono::nanoseconds delay) {
    asio::steady_timer timer(executor);
    co_await sleep_on(timer, delay);
}

}  // namespace

Task<void> wait_for(Event& event, asio::any_io_executor executor, std::chrono::nanoseconds delay) {
    using asio::experimental::awaitable_operators::operator||;
    auto slept = sleep_for(executor, delay);
    auto notified = event.wait();
    auto either = std::move(slept) || std::move(notified);
    co_await std::move(either);
}

void Signal::notify_all() {
    for (auto* event : waking_) event->notify_all();
}

Wakeup::Wakeup(asio::any_io_executor executor, std::initializer_list<Signal*> signals)
    : event_(std::move(executor)), signals_(signals) {
    for (auto* signal : signals_) signal->waking_.push_back(&event_);
}

Wakeup::~Wakeup() {
    for (auto* signal : signals_) std::erase(signal->waking_, &event_);
}

Task<void> Wakeup::wait() { return event_.wait(); }

Task<void> Wakeup::wait_for(std::chrono::nanoseconds delay) {
    const auto executor = co_await asio::this_coro::executor;
    co_await base::wait_for(event_, executor, delay);
}

}  // namespace receiptd::base
