#include "alert/watchdog.hpp"

#include "alert/standstill_payload.hpp"
#include "base/coroutine.hpp"
#include "base/iso_time.hpp"
#include "base/log.hpp"
#include "base/sleep.hpp"
#include "metrics/registry.hpp"
#include "net/proxy.hpp"
#include "net/url.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace receiptd::alert {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kPingAgain = 5s;  // after one that failed
constexpr auto kPingTimeout = 10s;
constexpr std::uint64_t kLongestPong = 64 << 10;

std::vector<config::Endpoint> only(const std::optional<config::Endpoint>& endpoint) {
    if (!endpoint) return {};
    return {*endpoint};
}

void failed(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const std::exception& e) {
        log::error("the watchdog has ended", {{"because", e.what()}});
    }
}

}  // namespace

struct Watchdog::Ping {
    static std::shared_ptr<Ping> to(boost::asio::any_io_executor executor, const base::Secret& address,
                                    const base::Secret& proxy) {
        if (address.empty()) return nullptr;
        auto url = net::parse_url(address.reveal());
        if (!url) throw std::runtime_error("watchdog.ping_url: " + url.error().reason);
        auto target = url->target;
        net::HttpClientOptions options;
        options.origin = std::move(*url);
        options.max_connections = 1;
        options.proxy = net::proxy_of(proxy);
        options.request_timeout = kPingTimeout;
        options.max_response_bytes = kLongestPong;
        options.gzip = false;
        options.user_agent = "receiptd/" RECEIPTD_VERSION;
        return std::make_shared<Ping>(net::HttpClient(std::move(executor), std::move(options)),
                                      std::move(target));
    }
    Ping(net::HttpClient its_client, std::string its_target)
        : client(std::move(its_client)), target(std::move(its_target)) {}

    net::HttpClient client;
    std::string target;
};

Watchdog::Watchdog(WatchdogOptions options, metrics::WatchdogSeries& series, const base::Clock& clock)
    : options_(std::move(options)),
      series_(series),
      clock_(clock),
      sender_(context_.get_executor(), only(options_.endpoint), clock),
      ping_(Ping::to(context_.get_executor(), options_.ping_url, options_.ping_proxy)),
      standstill_(options_.stalled_after),
      news_(context_.get_executor()),
      tasks_(context_.get_executor(), failed) {}

Watchdog::~Watchdog() { stop(); }

void Watchdog::start() {
    tasks_.spawn(look());
    tasks_.spawn(deliver());
    tasks_.spawn(ping());
    thread_ = std::thread([this] { context_.run(); });
}

void Watchdog::stop() {
    if (!thread_.joinable()) return;
    boost::asio::co_spawn(context_, end(), boost::asio::detached);
    thread_.join();
}

base::Task<void> Watchdog::end() {
    tasks_.cancel();
    try {
        co_await tasks_.join();
    } catch (const std::exception&) {
        // failed() has told it.
    }
    context_.stop();
}

void Watchdog::tell(Readings readings) {
    const std::lock_guard lock(mutex_);
    told_ = std::move(readings);
}

void Watchdog::reload(std::optional<config::Endpoint> endpoint, base::Secret ping_url,
                      base::Secret ping_proxy) {
    boost::asio::post(context_, [this, endpoint = std::move(endpoint), address = std::move(ping_url),
                                 proxy = std::move(ping_proxy)] {
        sender_.reload(only(endpoint));
        ping_ = Ping::to(context_.get_executor(), address, proxy);
    });
}

base::Task<void> Watchdog::look() {
    base::asio::steady_timer timer(context_);
    while (true) {
        look_once();
        co_await base::sleep_on(timer, options_.look_every);
    }
}

void Watchdog::look_once() {
    {
        const std::lock_guard lock(mutex_);
        readings_ = told_;
    }
    const auto news = standstill_.look(readings_, clock_.steady(), clock_.wall());
    show();
    if (news) take(*news);
}

void Watchdog::show() {
    const auto& standing = standstill_.standing();
    const auto set = [&](const std::string& part) {
        const bool stands = std::any_of(standing.begin(), standing.end(),
                                        [&](const StandingPart& each) { return each.part == part; });
        series_.stalled.Add({{"part", part}}).Set(stands ? 1 : 0);
    };
    set(kEventLoop);
    for (const auto& reading : readings_.parts) set(reading.part);
}

void Watchdog::take(const EpisodeNews& news) {
    if (news.ended_at)
        log::info("this daemon works again", {{"stood_still_since", base::iso_time(news.since)}});
    if (!news.ended_at)
        for (const auto& part : news.parts)
            log::error("this daemon stands still",
                       {{"part", part.part}, {"since", base::iso_time(part.since)}, {"because", part.why}});
    if (!options_.endpoint) return;
    message_ = standstill_message(news, options_.endpoint->name, options_.daemon, options_.site);
    failed_ = 0;
    news_.notify_all();
}

base::Task<void> Watchdog::deliver() {
    while (true) {
        if (!message_) {
            co_await news_.wait();
            continue;
        }
        auto message = *message_;
        const auto id = message.id;
        const bool taken = co_await post(std::move(message));
        if (!message_ || message_->id != id) continue;
        const bool is_last = failed_ == options_.waits.size();
        // While it stands still it is told until somebody takes it; that it did so is given up in the end.
        if (taken || (is_last && standstill_.standing().empty())) {
            if (!taken) log::error("a message of the watchdog is given up", {{"id", id}});
            message_.reset();
            continue;
        }
        const auto wait = is_last ? options_.waits.back() : options_.waits[failed_++];
        co_await base::wait_for(news_, context_.get_executor(), wait);
    }
}

base::Task<bool> Watchdog::post(Message message) {
    const auto id = message.id;
    const auto answer = co_await sender_.post(std::move(message));
    (answer.accepted() ? series_.messages_delivered : series_.messages_failed).Increment();
    if (!answer.accepted())
        log::warn("a message of the watchdog was not taken",
                  {{"id", id},
                   {"because", answer.status != 0 ? "HTTP " + std::to_string(answer.status) : answer.error}});
    co_return answer.accepted();
}

bool Watchdog::all_is_well() const { return readings_.leads && standstill_.standing().empty(); }

base::Task<void> Watchdog::ping() {
    base::asio::steady_timer timer(context_);
    while (true) {
        auto wait = options_.look_every;
        if (auto to = ping_; to && all_is_well()) {
            const bool answered = co_await ping_once(std::move(to));
            wait = answered ? options_.ping_every : std::min(options_.ping_every, kPingAgain);
        }
        co_await base::sleep_on(timer, wait);
    }
}

base::Task<bool> Watchdog::ping_once(std::shared_ptr<Ping> to) {
    net::HttpRequest request;
    request.target = to->target;
    const auto response = co_await to->client.send(std::move(request));
    const bool answered = response && response->status >= 200 && response->status < 300;
    (answered ? series_.pings_answered : series_.pings_failed).Increment();
    if (std::exchange(ping_failing_, !answered) == answered) {
        if (answered)
            log::info("watchdog.ping_url answers again");
        else
            log::warn(
                "watchdog.ping_url does not answer as it should",
                {{"because", response ? "HTTP " + std::to_string(response->status) : response.error().text}});
    }
    co_return answered;
}

}  // namespace receiptd::alert
