// Tells one endpoint when this daemon stands still, and again when it works again: directly, without the
// database and its queue, and from a thread of its own, so that nothing that holds up the daemon holds up
// this. It also sends the leader's pings to a dead man's switch, while all is well.
#pragma once

#include "alert/attempt.hpp"
#include "alert/payload.hpp"
#include "alert/sender.hpp"
#include "alert/standstill.hpp"
#include "base/clock.hpp"
#include "base/event.hpp"
#include "base/task_group.hpp"
#include "config/settings.hpp"
#include "metrics/watchdog_series.hpp"
#include "net/http_client.hpp"

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace receiptd::alert {

struct WatchdogOptions {
    std::optional<config::Endpoint> endpoint;  // that is told; nullopt: nobody is
    base::Secret ping_url;                     // empty: there is none
    base::Secret ping_proxy;                   // empty: none
    std::chrono::milliseconds stalled_after{};
    std::chrono::milliseconds ping_every{};
    std::string daemon;  // "host:pid"
    Site site;
    std::chrono::milliseconds look_every{1'000};
    // Between the attempts of one message; after the last it is given up. A newer message takes its place.
    Waits waits = {std::chrono::seconds(5),  std::chrono::seconds(10), std::chrono::seconds(20),
                   std::chrono::seconds(40), std::chrono::seconds(80), std::chrono::seconds(160),
                   std::chrono::minutes(5),  std::chrono::minutes(5),  std::chrono::minutes(5),
                   std::chrono::minutes(5)};
};

class Watchdog {
public:
    // Settings that config has accepted. Series and clock outlive it, and are used by its thread.
    Watchdog(WatchdogOptions options, metrics::WatchdogSeries& series, const base::Clock& clock);
    ~Watchdog();  // stops it
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    // Begins to look and to send. A message under way at stop() is forgotten.
    void start();
    void stop();

    // The newest readings of the parts. From any thread, like reload().
    void tell(Readings readings);
    // Takes over the secrets and headers of the endpoint, and the address of the pings.
    void reload(std::optional<config::Endpoint> endpoint, base::Secret ping_url, base::Secret ping_proxy);

private:
    struct Ping;

    base::Task<void> look();
    void look_once();
    void show();
    void take(const EpisodeNews& news);
    base::Task<void> deliver();
    base::Task<bool> post(Message message);
    base::Task<void> ping();
    base::Task<bool> ping_once(std::shared_ptr<Ping> to);
    base::Task<void> end();
    bool all_is_well() const;

    WatchdogOptions options_;
    metrics::WatchdogSeries& series_;
    const base::Clock& clock_;
    std::mutex mutex_;
    Readings told_;  // guarded by mutex_

    // Only its own thread uses these:
    boost::asio::io_context context_{1};
    EndpointSender sender_;
    std::shared_ptr<Ping> ping_;
    Standstill standstill_;
    Readings readings_;
    std::optional<Message> message_;  // that is to be delivered
    std::size_t failed_ = 0;          // attempts of it
    bool ping_failing_ = false;
    base::Event news_;
    base::TaskGroup tasks_;
    std::thread thread_;
};

}  // namespace receiptd::alert
