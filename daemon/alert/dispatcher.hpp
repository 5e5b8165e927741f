// Processes the queue of deliveries: claims due ones, makes and stores the body, posts it, records the
// result. If a process dies, another one can claim its deliveries after the lease; the receiver then sees the
// same webhook-id again.
//
// Each endpoint has its own limit of attempts under way, so a slow endpoint delays only itself.
#pragma once

#include "alert/circuit.hpp"
#include "alert/payload.hpp"
#include "alert/sender.hpp"
#include "alert/storm_settings.hpp"
#include "base/clock.hpp"
#include "base/sleep.hpp"
#include "base/task_group.hpp"
#include "metrics/alert_series.hpp"
#include "storage/delivery_store.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::alert {

// A claim that is not recorded so long after its attempt must have ended may be taken by another.
inline constexpr std::chrono::seconds kToRecord{10};

// Deliveries that the endpoints of the configuration have not taken.
struct Outbox {
    std::uint64_t pending = 0;
    std::uint64_t dead = 0;
    std::chrono::milliseconds oldest_pending{0};
    // Due for five minutes without an attempt, though nothing keeps them from it; by endpoint.
    std::map<std::string, std::uint64_t> not_tried;
};

class Dispatcher {
public:
    using Chance = std::function<double()>;  // uniform in [0, 1)

    Dispatcher(base::asio::any_io_executor executor, base::asio::thread_pool& cpu,
               const std::vector<config::Endpoint>& endpoints, storage::DeliveryStore& store, Sender& sender,
               metrics::AlertSeries& series, const base::Clock& clock, Chance chance, Site site);

    // Call before anything is committed: alerts are queued only for endpoints that the database knows.
    base::Task<void> begin_serving() { return serve(storage::Serving::begins); }
    // The configuration was read anew: the rules, schedules and storm settings of the endpoints that are
    // served.
    base::Task<void> reload(const std::vector<config::Endpoint>& endpoints);
    // Runs until stop() or storage stops; then it finishes the attempts under way.
    base::Task<void> run();
    // Keeps the endpoints served, the gauges of the backlog and outbox(), until stop().
    base::Task<void> report();
    // The backlog at the last look of report(); nullopt: not known yet, or there are no endpoints.
    const std::optional<Outbox>& outbox() const { return outbox_; }
    // Endpoints of these that were switched off at the last look of report().
    const std::vector<std::string>& switched_off() const { return switched_off_; }

    void wake();  // something may be due now
    void stop();

    // Between the start and the end of run(), while there are endpoints.
    bool running() const { return running_; }
    // The last time it looked at the queue, or found that no endpoint has room for more.
    base::SteadyTime progressed_at() const { return progressed_at_; }

    // How long a claimed delivery is this process's.
    std::chrono::seconds lease() const { return lease_; }

private:
    // Shared with the attempts: they may end after the dispatcher.
    struct Endpoint {
        Endpoint(metrics::EndpointSeries of, const config::Endpoint& settings) : series(std::move(of)) {
            take(settings);
        }
        void take(const config::Endpoint& settings) {
            waits = settings.retry;
            ordered = settings.ordered;
            storm = storm_settings(settings);
        }
        unsigned room(base::SteadyTime now) const;

        metrics::EndpointSeries series;
        Waits waits;
        bool ordered = false;
        storm::Settings storm;
        Circuit circuit;
        unsigned in_flight = 0;
        bool more_due = false;  // the last claim took all it could
        bool failing = false;   // the last attempt failed
        base::SteadyTime paused_until{};
        base::SteadyTime held_back_at{};  // when it was last kept from getting all that is due
    };
    struct Seat;

    base::Task<void> serve(storage::Serving serving);
    std::vector<storage::EndpointRoom> rooms() const;
    // How many were due; nullopt: the database could not be asked.
    base::Task<std::optional<std::size_t>> claim(base::TaskGroup& under_way);
    // Queues digests and other messages about storms, once in a while.
    base::Task<void> tend_storms();
    void keep(const storage::Claimed& claimed);
    base::Task<void> pause();
    enum class Try { attempt, probe };
    struct Tried {
        Try as;
        base::SteadyTime began;  // the claim, then the attempt
    };
    base::Task<void> deliver(storage::DueDelivery delivery, Tried claimed);
    base::Task<void> attempt(storage::DueDelivery delivery, Endpoint& endpoint, const Tried& claimed);
    storage::DeliveryOutcome outcome_of(const storage::DueDelivery& delivery, const Answer& answer,
                                        Endpoint& endpoint, const Tried& tried);
    base::Task<void> give_bodies(std::vector<storage::DueDelivery>& deliveries);
    void hold_back(Endpoint& endpoint, const Answer& answer, const storage::DeliveryOutcome& outcome) const;
    void note(const storage::DueDelivery& delivery, const storage::DeliveryOutcome& outcome,
              Endpoint& endpoint);
    bool is_free(const std::string& name, Endpoint& endpoint) const;
    void show(const std::vector<storage::DeliveryBacklog>& backlog);

    base::asio::any_io_executor executor_;
    base::asio::thread_pool& cpu_;
    storage::DeliveryStore& store_;
    Sender& sender_;
    prometheus::Counter& plain_;
    const base::Clock& clock_;
    Chance chance_;
    Site site_;
    std::vector<storage::ServedEndpoint> serves_;
    std::map<std::string, std::shared_ptr<Endpoint>> endpoints_;
    std::chrono::seconds lease_{};
    base::SteadyTime tend_at_{};
    std::optional<Outbox> outbox_;
    std::vector<std::string> switched_off_;
    base::asio::steady_timer pause_;
    base::SteadyTime progressed_at_{};
    bool running_ = false;
    bool woken_ = false;
    unsigned blocked_looks_ = 0;  // in a row, at which something was due and nothing could be claimed
    bool stopping_ = false;
};

}  // namespace receiptd::alert
