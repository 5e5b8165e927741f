#include "rpc/choose.hpp"

#include <chrono>

namespace receiptd::rpc {
namespace {

// In seconds of waiting that we would accept instead.
constexpr double kArchival = 3.0;
constexpr double kTried = 4.0;
constexpr double kIllness = 2.0;
constexpr double kFullLoad = 0.5;
constexpr double kFirst = -5.0;
constexpr double kLast = 10.0;
constexpr double kUnproven = 100.0;
constexpr double kBelowHorizon = 1'000.0;
constexpr double kUntracked = 1'000.0;
constexpr double kDoubted = 100.0;

double cost(const HostView& host) {
    double cost = std::chrono::duration<double>(host.wait).count();
    cost += kIllness * (1.0 - host.health) + kFullLoad * host.load + kTried * host.tries;
    if (host.kind == HostKind::archival) cost += kArchival;
    if (host.unproven) cost += kUnproven;
    if (host.below_horizon) cost += kBelowHorizon;
    if (host.untracked) cost += kUntracked;
    if (host.doubted) cost += kDoubted;
    if (host.last) cost += kLast;
    if (host.first && host.tries == 0) cost += kFirst;
    return cost;
}

}  // namespace

std::optional<std::size_t> choose(const std::vector<HostView>& hosts) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        if (!hosts[i].usable || hosts[i].absent) continue;
        if (!best || cost(hosts[i]) < cost(hosts[*best])) best = i;
    }
    return best;
}

}  // namespace receiptd::rpc
