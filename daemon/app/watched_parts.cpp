#include "app/watched_parts.hpp"

#include "base/coroutine.hpp"
#include "base/sleep.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::app {
namespace {

using namespace std::chrono_literals;

constexpr auto kReadEvery = 1s;
constexpr auto kAnswersNow = 10s;
constexpr auto kHangs = 10min;

std::optional<config::Endpoint> endpoint_of_watchdog(const config::Settings& settings) {
    const auto& endpoints = settings.endpoints;
    const auto found = std::find_if(endpoints.begin(), endpoints.end(), [&](const config::Endpoint& each) {
        return each.name == settings.watchdog.endpoint;
    });
    return found == endpoints.end() ? std::nullopt : std::optional(*found);
}

alert::WatchdogOptions watchdog_options(const config::Settings& settings) {
    alert::WatchdogOptions options;
    options.endpoint = endpoint_of_watchdog(settings);
    options.ping_url = settings.watchdog.ping_url;
    options.ping_proxy = settings.watchdog.ping_proxy;
    options.stalled_after = settings.watchdog.stalled_after;
    options.ping_every = settings.watchdog.ping_every;
    options.daemon = daemon_settings(settings).place;
    options.site = site_of(settings);
    return options;
}

}  // namespace

WatchedParts::WatchedParts(Runtime& runtime, std::function<bool()> leads)
    : runtime_(runtime),
      leads_(std::move(leads)),
      series_(runtime.registry),
      watchdog_(watchdog_options(runtime.settings), series_, runtime.clock) {}

base::Task<void> WatchedParts::run() {
    watchdog_.tell(readings());
    watchdog_.start();
    base::asio::steady_timer timer(runtime_.context);
    while (true) {
        co_await base::sleep_on(timer, kReadEvery);
        watchdog_.tell(readings());
    }
}

void WatchedParts::reload() {
    const auto& settings = runtime_.settings;
    watchdog_.reload(endpoint_of_watchdog(settings), settings.watchdog.ping_url,
                     settings.watchdog.ping_proxy);
}

bool WatchedParts::hangs() const {
    const auto now = runtime_.clock.steady();
    if (now - runtime_.database_answered_at > kAnswersNow) return false;
    const auto stands = [now](const auto& part) {
        return part.running() && now - part.progressed_at() > kHangs;
    };
    return stands(runtime_.watching.tracker()) || stands(runtime_.dispatcher);
}

alert::Readings WatchedParts::readings() {
    const auto now = runtime_.clock.steady();
    alert::Readings readings;
    readings.taken_at = now;
    readings.leads = leads_();
    const auto& tracker = runtime_.watching.tracker();
    const auto& dispatcher = runtime_.dispatcher;
    readings.parts.push_back(
        {"database", runtime_.database_answered_at, true, runtime_.database.why_no_work()});
    readings.parts.push_back(follower(readings.leads, now));
    readings.parts.push_back({"tracker", tracker.progressed_at(), tracker.running(), ""});
    readings.parts.push_back({"dispatcher", dispatcher.progressed_at(), dispatcher.running(), ""});
    return readings;
}

alert::PartReading WatchedParts::follower(bool leads, base::SteadyTime now) {
    const auto& stored = runtime_.state.heights.tip();
    if (const auto tip = stored ? stored->height : 0; tip != std::exchange(tip_, tip)) tip_moved_at_ = now;
    return {"follower", tip_moved_at_, leads, why_nothing_is_stored()};
}

std::string WatchedParts::why_nothing_is_stored() const {
    const auto& state = runtime_.state;
    if (const auto& broken = state.heights.broken()) return broken->why;
    if (!state.disagreement.empty()) return state.disagreement;
    if (!state.head.block()) return "no host has told a block";
    const auto head = std::to_string(state.head.height());
    if (state.head.height() <= tip_)
        return "no host tells a newer block than " + head + ": they do not answer, or the chain stands still";
    return "hosts tell blocks up to " + head + ", and the newest that is stored is " + std::to_string(tip_);
}

}  // namespace receiptd::app
