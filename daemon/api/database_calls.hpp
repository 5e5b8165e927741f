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
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace receiptd::api {

// No answer came in time; the database may still carry out the request.
struct NoAnswer : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Copies share their calls; each is for one client.
class DatabaseCalls {
public:
    struct Limits {
        std::chrono::milliseconds patience{3'000};
        // Calls under way, those nobody waits for any more included: a database that is away
        // gathers no more than these.
        std::size_t at_once = 64;
        // Calls of one client that are at the database; its others wait for their turn, and hold no more
        // seats than are free. 0: any number.
        std::size_t of_client = 0;
    };

    DatabaseCalls(const base::asio::any_io_executor& executor, Limits limits)
        : all_(std::make_shared<All>(executor, limits)) {}

    // For what this client asks; empty: without limits of a client.
    DatabaseCalls for_client(const std::string& client) const {
        DatabaseCalls calls(all_);
        if (client.empty() || all_->limits.of_client == 0) return calls;
        auto& known = all_->clients[client];
        calls.client_ = known.lock();
        if (!calls.client_) known = calls.client_ = std::make_shared<Client>(all_->executor);
        std::erase_if(all_->clients, [](const auto& each) { return each.second.expired(); });
        return calls;
    }

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
        const auto at_once = all_->limits.at_once;
        if (*all_->running >= at_once || (client_ && client_->seats >= at_once - *all_->running))
            throw NoAnswer("too many requests wait for their answers");
        auto waiting = std::make_shared<Waiting<T>>(all_->executor);
        all_->under_way.spawn(land(std::move(call), waiting, all_->running, client_, all_->limits.of_client));
        return waiting;
    }

    // Its value or what it throws. Throws NoAnswer when its time is over; the call goes on then, alone.
    template <class T>
    base::Task<T> wait_for(Started<T> call) {
        return wait_for(std::move(call), all_->limits.patience, "the database does not answer");
    }
    template <class T>
    base::Task<T> wait_for(Started<T> call, std::chrono::milliseconds patience, const char* complaint) {
        // A call that needs no waiting has ended by now.
        if (!call->ended()) co_await base::sleep_on(call->timer, patience);
        if (call->error) std::rethrow_exception(call->error);
        if (!call->value) throw NoAnswer(complaint);
        co_return std::move(*call->value);
    }
    // The same of a call that goes on with other work as soon as the database has answered.
    template <class T>
    base::Task<T> wait_for(Started<T> call, std::shared_ptr<const bool> answered) {
        constexpr std::chrono::seconds kOtherWork{30};
        if (!call->ended()) co_await base::sleep_on(call->timer, all_->limits.patience);
        const auto more = *answered ? std::chrono::milliseconds(kOtherWork) : std::chrono::milliseconds(0);
        co_return co_await wait_for(std::move(call), more, "the database does not answer");
    }
    template <class T>
    base::Task<T> wait_for(base::Task<T> call) {
        return wait_for(start(std::move(call)));
    }

    // Cancels the calls under way; those who wait for a call get its exception.
    void cancel() { all_->under_way.cancel(); }

    std::size_t running() const { return *all_->running; }

private:
    struct Client {
        explicit Client(const base::asio::any_io_executor& executor) : freed(executor) {}
        std::size_t seats = 0;
        std::size_t running = 0;
        base::Event freed;
    };
    struct All {
        All(const base::asio::any_io_executor& on, Limits given)
            : executor(on), limits(given), under_way(on) {}
        base::asio::any_io_executor executor;
        Limits limits;
        std::shared_ptr<std::size_t> running = std::make_shared<std::size_t>(0);
        std::map<std::string, std::weak_ptr<Client>> clients;
        base::TaskGroup under_way;
    };
    explicit DatabaseCalls(std::shared_ptr<All> all) : all_(std::move(all)) {}

    template <class T>
    static base::Task<void> land(base::Task<T> call, std::shared_ptr<Waiting<T>> waiting,
                                 std::shared_ptr<std::size_t> running, std::shared_ptr<Client> client,
                                 std::size_t of_client) {
        const Seat seat(running, client);
        try {
            while (client && client->running >= of_client) co_await client->freed.wait();
            if (client && waiting.use_count() == 1) co_return;  // nobody waits for it any more
            const Turn turn(client);
            T value = co_await std::move(call);
            waiting->value.emplace(std::move(value));
        } catch (...) {
            waiting->error = std::current_exception();
        }
        waiting->timer.cancel();
    }

    struct Seat {
        Seat(std::shared_ptr<std::size_t> of_all, std::shared_ptr<Client> of)
            : running(std::move(of_all)), client(std::move(of)) {
            ++*running;
            if (client) ++client->seats;
        }
        ~Seat() {
            --*running;
            if (client) --client->seats;
        }
        Seat(const Seat&) = delete;
        Seat& operator=(const Seat&) = delete;
        std::shared_ptr<std::size_t> running;
        std::shared_ptr<Client> client;
    };
    struct Turn {
        explicit Turn(std::shared_ptr<Client> of) : client(std::move(of)) {
            if (client) ++client->running;
        }
        ~Turn() {
            if (!client) return;
            --client->running;
            client->freed.notify_all();
        }
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
        std::shared_ptr<Client> client;
    };

    std::shared_ptr<All> all_;
    std::shared_ptr<Client> client_;
};

}  // namespace receiptd::api
