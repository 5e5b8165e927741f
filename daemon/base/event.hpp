// An event that coroutines of one executor wait for. notify_all() wakes everybody who waits now;
// the waker's change of state must be checked again after waking (spurious wake-ups are allowed).
#pragma once

#include "base/task.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>

namespace receiptd::base {

class Event {
public:
    explicit Event(asio::any_io_executor executor) : timer_(std::move(executor)) {
        timer_.expires_at(std::chrono::steady_clock::time_point::max());
    }

    Task<void> wait() {
        boost::system::error_code ignored;
        co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }

    void notify_all() { timer_.cancel(); }

private:
    asio::steady_timer timer_;
};

// Sleeps on the current coroutine's executor; ends early, quietly, when `timer` is cancelled.
inline Task<void> sleep_on(asio::steady_timer& timer, std::chrono::nanoseconds delay) {
    boost::system::error_code ignored;
    timer.expires_after(std::chrono::duration_cast<std::chrono::steady_clock::duration>(delay));
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

// Waits for the event, but not longer than `delay`.
Task<void> wait_for(Event& event, asio::any_io_executor executor, std::chrono::nanoseconds delay);

}  // namespace receiptd::base
