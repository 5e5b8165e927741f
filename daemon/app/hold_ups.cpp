#include "app/hold_ups.hpp"

#include "base/log.hpp"
#include "base/sleep.hpp"
#include "metrics/registry.hpp"

#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <utility>

namespace receiptd::app {
namespace {

using namespace std::chrono_literals;

constexpr auto kLookAtLocksEvery = 2s;
// A transaction that has waited in vain is begun again after moments: one look between the two sees nothing.
constexpr unsigned kOverAfter = 2;
constexpr auto kToldAgainAfter = 5min;
constexpr auto kLookAtStreamEvery = 10s;
constexpr auto kStreamHeldUp = 30s;

const char* or_unknown(const std::string& holders) {
    return holders.empty() ? "a transaction that pg_prepared_xacts shows, or one that has just ended"
                           : holders.c_str();
}

}  // namespace

double HoldUps::seconds() const {
    return held_up_ ? std::chrono::duration<double>(clock_.steady() - since_).count() : 0;
}

std::string HoldUps::in_words() const {
    if (!held_up_) return {};
    return held_up_->what + " has waited for " + std::to_string(static_cast<long>(seconds())) + " s for " +
           or_unknown(held_up_->by);
}

void HoldUps::learn(std::optional<storage::HeldUp> now) {
    if (!now) {
        if (!held_up_ || ++clear_looks_ < kOverAfter) return;
        log::info("nothing in the database is held up any more", {{"after_seconds", seconds()}});
        held_up_.reset();
        return;
    }
    clear_looks_ = 0;
    if (!held_up_) since_ = clock_.steady();
    const bool is_known = held_up_ && held_up_->by == now->by && clock_.steady() < told_at_ + kToldAgainAfter;
    held_up_ = std::move(now);
    if (is_known) return;
    told_at_ = clock_.steady();
    log::warn("a session of the database holds up this daemon: its transaction must end",
              {{"waits", held_up_->what}, {"for", or_unknown(held_up_->by)}});
}

base::Task<void> HoldUps::watch_locks() {
    base::asio::steady_timer timer(executor_);
    while (true) {
        learn(co_await database_.held_up());
        database_.series.held_up.Set(seconds());
        co_await base::sleep_on(timer, kLookAtLocksEvery);
    }
}

base::Task<void> HoldUps::watch_stream() {
    base::asio::steady_timer timer(executor_);
    for (bool warned = false;;) {
        const auto waiting = co_await findings_.stream_held_up();
        database_.series.stream_held_up.Set(std::chrono::duration<double>(waiting.time).count());
        if (waiting.time >= kStreamHeldUp && !std::exchange(warned, true))
            log::warn("/v1/stream waits for an old transaction of the database's cluster to end",
                      {{"seconds", std::chrono::floor<std::chrono::seconds>(waiting.time).count()},
                       {"for", or_unknown(waiting.by)}});
        if (waiting.time < kStreamHeldUp && std::exchange(warned, false)) log::info("/v1/stream goes on");
        co_await base::sleep_on(timer, kLookAtStreamEvery);
    }
}

}  // namespace receiptd::app
