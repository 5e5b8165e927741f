#include "rpc/own_clock.hpp"

#include "base/log.hpp"

#include <cstdlib>
#include <utility>

namespace receiptd::rpc {
namespace {

// Receivers of webhooks refuse a timestamp that is five minutes off.
constexpr std::chrono::seconds kFar{60};

// The host that agrees most counts: a single wrong one says nothing.
std::optional<std::chrono::seconds> ahead_of_hosts(const std::vector<UpstreamState>& hosts) {
    std::optional<std::chrono::seconds> least;
    for (const auto& host : hosts)
        if (host.clock_ahead && (!least || std::chrono::abs(*host.clock_ahead) < std::chrono::abs(*least)))
            least = host.clock_ahead;
    return least;
}

}  // namespace

void OwnClock::look(const std::vector<UpstreamState>& hosts, std::optional<double> ahead) {
    auto off = ahead_of_hosts(hosts);
    // A chain that stands still is no sign of a clock that is ahead.
    if (!off && ahead && *ahead < 0) off = std::chrono::seconds(static_cast<std::int64_t>(*ahead));
    off_ = off.value_or(std::chrono::seconds(0));
    const bool was_far = std::exchange(is_far_, std::chrono::abs(off_) > kFar);
    if (is_far_ && !was_far) log::error("the clock of this machine is wrong", {{"why", in_words()}});
    if (was_far && !is_far_) log::info("the clock of this machine agrees with the hosts again");
}

std::string OwnClock::in_words() const {
    if (!is_far_) return {};
    const auto seconds = off_.count();
    return "the clock of this machine is " + std::to_string(std::abs(seconds)) + " s " +
           (seconds > 0 ? "ahead of" : "behind") +
           " the time that hosts and blocks tell: set it, because receivers refuse messages whose timestamp "
           "is "
           "five minutes off";
}

}  // namespace receiptd::rpc
