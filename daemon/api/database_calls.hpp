// Calls of the stores, which wait for the database as long as it takes, for people who do not.
#pragma once

#include "base/event.hpp"
#include "base/sleep.hpp"
#include "base/task.hpp"
#include "base/task_group.hpp"

#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

namespace receiptd::api {

// No answer came in time; the database may still carry out the request.
struct NoAnswer : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class DatabaseCalls {
public:
    struct Limits {
        std::chrono::milliseconds patience{3'000};
        // Calls under way, those nobody waits for any more included: a database that is away
        // gathers no more than these.
        std::size_t at_once = 64;
    };

    DatabaseCalls(const base::asio::any_io_executor& executor, Limits limits)
        : executor_(executor),
          limits_(limits),
          running_(std::make_shared<std::size_t>(0)),
          under_way_(executor) {}

    template <class T>
    struct Waiting {
        explicit Waiting(const base::asio::any_io_executor& executor) : timer(executor) {}
        base::asio::steady_timer timer;  // cancelled when the call has ended
        std::exception_ptr error;
        std::optional<T> value;
        bool ended() const { return error || value; }
    };
    template <class T>
    using Started = std::shared_ptr<Waiting<T>>;

    // Begins a call, so that several are under way at once. Throws NoAnswer when there are too many.
    template <class T>
    Started<T> start(base::Task<T> call) {
        if (*running_ >= limits_.at_once) throw NoAnswer("too many requests wait for their answers");
        auto waiting = std::make_shared<Waiting<T>>(executor_);
        under_way_.spawn(land(std::move(call), waiting, running_));
        return waiting;
    }

    // Its value or what it throws. Throws NoAnswer when its time is over; the call goes on then, alone.
    template <class T>
    base::Task<T> wait_for(Started<T> call) {
        return wait_for(std::move(call), limits_.patience, "the database does not answer");
    }
    template <class T>
    base::Task<T> wait_for(Started<T> call, std::chrono::milliseconds patience, const char* complaint) {
        // A call that needs no waiting has ended by now.
        if (!call->ended()) co_await base::sleep_on(call->timer, patience);
        if (call->error) std::rethrow_exception(call->error);
        if (!call->value) throw NoAnswer(complaint);
        co_return std::move(*call->value);
    }
    template <class T>
    base::Task<T> wait_for(base::Task<T> call) {
        return wait_for(start(std::move(call)));
    }

    // Cancels the calls under way; those who wait for a call get its exception.
    void cancel() { under_way_.cancel(); }

    std::size_t running() const { return *running_; }

private:
    template <class T>
    static base::Task<void> land(base::Task<T> call, std::shared_ptr<Waiting<T>> waiting,
                                 std::shared_ptr<std::size_t> running) {
        ++*running;
        const Seat seat{std::move(running)};
        try {
            T value = co_await std::move(call);
            waiting->value.emplace(std::move(value));
        } catch (...) {
            waiting->error = std::current_exception();
        }
        waiting->timer.cancel();
    }

    struct Seat {
        std::shared_ptr<std::size_t> running;
        ~Seat() { --*running; }
    };

    base::asio::any_io_executor executor_;
    Limits limits_;
    std::shared_ptr<std::size_t> running_;
    base::TaskGroup under_way_;
};

}  // namespace receiptd::api
