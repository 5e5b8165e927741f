// An event that coroutines of one executor wait for. notify_all() wakes everybody who waits now;
// the waker's change of state must be checked again after waking (spurious wake-ups are allowed).
#pragma once

#include "base/task.hpp"

#include <chrono>
#include <initializer_list>
#include <memory>
#include <vector>

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

// A change that loops wait for, each with a Wakeup that may wait for other changes, too.
class Signal {
public:
    Signal() = default;
    Signal(const Signal&) = delete;
    Signal& operator=(const Signal&) = delete;

    void notify_all();

private:
    friend class Wakeup;
    std::vector<Event*> waking_;
};

// Wakes one loop after any of the signals, which outlive it. Spurious wake-ups are allowed, as with Event.
class Wakeup {
public:
    Wakeup(asio::any_io_executor executor, std::initializer_list<Signal*> signals);
    ~Wakeup();
    Wakeup(const Wakeup&) = delete;
    Wakeup& operator=(const Wakeup&) = delete;

    Task<void> wait();
    Task<void> wait_for(std::chrono::nanoseconds delay);
    void notify() { event_.notify_all(); }

private:
    Event event_;
    std::vector<Signal*> signals_;
};

}  // namespace receiptd::base
