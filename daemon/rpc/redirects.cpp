#include "rpc/redirects.hpp"

#include "base/coroutine.hpp"

#include <algorithm>

namespace receiptd::rpc {
namespace {

constexpr unsigned kMostHops = 5;
constexpr std::size_t kMostPools = 16;

bool is_redirect(int status) {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

bool is_subdomain(std::string_view host, std::string_view of) {
    return host.size() > of.size() + 1 && host.ends_with(of) && host[host.size() - of.size() - 1] == '.';
}

bool is_address(std::string_view host) {
    return host.find(':') != std::string_view::npos ||
           host.find_first_not_of("0123456789.") == std::string_view::npos;
}

// "apiKey=..." of a target's query, or empty.
std::string api_key_parameter(std::string_view target) {
    const auto query = target.find('?');
    if (query == std::string_view::npos || !has_api_key(target)) return {};
    const auto start = target.find("apiKey=", query);
    return std::string(target.substr(start, target.find('&', start) - start));
}

net::TransportError no_redirect(const net::Url& from, std::string why) {
    return {net::TransportFault::malformed, from.origin() + ": " + std::move(why)};
}

// The request as it goes on to `target`. A key in the query comes along; the host's own stays.
net::HttpRequest carry_on(const net::HttpRequest& request, const net::Url& target) {
    net::HttpRequest next = request;
    const auto key = api_key_parameter(request.target);
    next.target = target.target;
    if (!key.empty() && !has_api_key(next.target))
        next.target += (next.target.find('?') == std::string::npos ? "?" : "&") + key;
    if (has_api_key(next.target))
        std::erase_if(next.headers, [](const net::Header& header) { return header.name == "Authorization"; });
    return next;
}

}  // namespace

std::optional<net::Url> resolve_location(const net::Url& from, std::string_view location) {
    if (location.substr(0, 7) == "http://" || location.substr(0, 8) == "https://") {
        const auto url = net::parse_url(location);
        if (!url) return std::nullopt;
        return *url;
    }
    if (location.substr(0, 1) != "/" || location.substr(0, 2) == "//") return std::nullopt;
    auto url = from;
    url.target = std::string(location);
    return url;
}

Followed followed(const net::Url& home, const std::vector<std::string>& listed, const net::Url& target) {
    if (home.origin() == target.origin()) return Followed::anywhere;
    if (home.tls && !target.tls) return Followed::no;
    if (std::find(listed.begin(), listed.end(), target.host) != listed.end()) return Followed::anywhere;
    const bool is_own =
        target.host == home.host || (!is_address(home.host) && is_subdomain(target.host, home.host));
    return is_own && target.tls ? Followed::to_public_addresses : Followed::no;
}

RedirectingTransport::RedirectingTransport(TransportFactory factory, net::Url origin,
                                           std::vector<std::string> listed, TransportOptions options)
    : factory_(std::move(factory)),
      origin_(std::move(origin)),
      listed_(std::move(listed)),
      options_(options) {}

base::Task<Transport::Reply> RedirectingTransport::send(net::HttpRequest request,
                                                        std::chrono::milliseconds timeout) {
    auto at = origin_;
    auto followed_by = Followed::anywhere;
    for (unsigned hop = 0; hop <= kMostHops; ++hop) {
        const auto transport = transport_to(at, followed_by == Followed::to_public_addresses);
        auto copy = request;
        auto reply = co_await transport->send(std::move(copy), timeout);
        if (!reply || !is_redirect(reply->status)) co_return std::move(reply);
        const auto target = resolve_location(at, reply->header("Location"));
        if (!target) co_return no_redirect(at, "redirects to an unreadable location");
        followed_by = followed(origin_, listed_, *target);
        if (followed_by == Followed::no)
            co_return no_redirect(at,
                                  "redirects to " + target->origin() +
                                      ": refused; neardata.redirect_hosts lists the hosts that may follow");
        request = carry_on(request, *target);
        at = *target;
    }
    co_return no_redirect(at, "redirects more than " + std::to_string(kMostHops) + " times");
}

std::shared_ptr<Transport> RedirectingTransport::transport_to(const net::Url& url, bool only_public) {
    const auto origin = url.origin();
    const auto found =
        std::find_if(pools_.begin(), pools_.end(), [&](const auto& pool) { return pool.first == origin; });
    if (found != pools_.end()) {
        pools_.splice(pools_.begin(), pools_, found);
        return pools_.front().second;
    }
    auto options = options_;
    options.only_public = only_public;
    pools_.emplace_front(origin, factory_(url, options));
    if (pools_.size() > kMostPools) pools_.pop_back();
    return pools_.front().second;
}

}  // namespace receiptd::rpc
