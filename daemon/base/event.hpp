// An event that coroutines of one executor wait for. notify_all() wakes everybody who waits now;
// the waker's change of state must be checked again after waking (spurious wake-ups are allowed).
#pragma once

#include "base/task.hpp"

#include <chrono>
#include <memory>

namespace receiptd::base {

class Event {
public:
    explicit Event(asio::any_io_executor executor);
    ~Event();
    Event(Event&&) noexcept;
    Event& operator=(Event&&) noexcept;

    Task<void> wait();
    void notify_all();

private:
    struct Timer;
    std::unique_ptr<Timer> timer_;
};

// Waits for the event, but not longer than `delay`.
Task<void> wait_for(Event& event, asio::any_io_executor executor, std::chrono::nanoseconds delay);

}  // namespace receiptd::base
