#include "app/clients.hpp"

#include "net/url.hpp"

#include <sys/resource.h>

#include <algorithm>

namespace receiptd::app {
namespace {

constexpr rlim_t kEnough = 65'536;
constexpr std::size_t kOfTheProcess = 64;  // logs, the event loops, lookups of names, commands' files
constexpr std::size_t kOfAnEndpoint = 8;
constexpr std::size_t kMost = 1'024;
constexpr std::size_t kLeast = 16;

std::size_t raise_descriptor_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return kMost;
    const rlim_t wanted = std::min(limit.rlim_max, kEnough);
    if (wanted > limit.rlim_cur) {
        const rlimit raised{wanted, limit.rlim_max};
        if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) return wanted;
    }
    return std::min(limit.rlim_cur, kEnough);
}

std::size_t descriptors_of_others(const config::Settings& settings) {
    std::size_t others = kOfTheProcess + kOfAnEndpoint * settings.endpoints.size();
    others += settings.database.most_connections(settings.follow.writers);
    for (const auto& upstream : settings.upstreams) others += upstream.max_in_flight;
    if (settings.neardata) others += settings.neardata->max_in_flight;
    return others;
}

}  // namespace

api::Guard guard_of(const config::Http& http) {
    api::Guard guard{http.token, http.read_token, http.metrics_are_open, http.allowed_hosts};
    if (const auto url = net::parse_url(http.public_url)) guard.hosts.push_back(url->host);
    return guard;
}

void set_up(net::HttpServerOptions& options, const config::Settings& settings) {
    options.listen = settings.http.listen;
    options.unix_mode = settings.http.socket_mode;
    const auto all = raise_descriptor_limit();
    const auto taken = descriptors_of_others(settings) + options.probe_connections;
    options.max_connections = std::clamp(all > taken ? all - taken : 0, kLeast, kMost);
}

}  // namespace receiptd::app
