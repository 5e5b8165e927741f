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

std::string_view registered_domain(std::string_view host) {
    const auto last = host.rfind('.');
    if (last == std::string_view::npos || last == 0) return host;
    const auto before = host.rfind('.', last - 1);
    return before == std::string_view::npos ? host : host.substr(before + 1);
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

// The request as it may go to `target`.
net::HttpRequest carry_on(const net::HttpRequest& request, const net::Url& home, const net::Url& target) {
    net::HttpRequest next = request;
    const auto key = api_key_parameter(request.target);
    next.target = target.target;
    if (may_carry_key(home, target)) {
        if (!key.empty() && !has_api_key(next.target))
            next.target += (next.target.find('?') == std::string::npos ? "?" : "&") + key;
    } else {
        std::erase_if(next.headers, [](const net::Header& header) { return header.name == "Authorization"; });
    }
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

bool may_carry_key(const net::Url& home, const net::Url& target) {
    if (home.origin() == target.origin()) return true;
    if (!target.tls || is_address(home.host) || is_address(target.host)) return false;
    return registered_domain(home.host) == registered_domain(target.host);
}

RedirectingTransport::RedirectingTransport(TransportFactory factory, net::Url origin,
                                           TransportOptions options)
    : factory_(std::move(factory)), origin_(std::move(origin)), options_(options) {}

base::Task<Transport::Reply> RedirectingTransport::send(net::HttpRequest request,
                                                        std::chrono::milliseconds timeout) {
    auto at = origin_;
    for (unsigned hop = 0; hop <= kMostHops; ++hop) {
        const auto transport = transport_to(at);
        auto copy = request;
        auto reply = co_await transport->send(std::move(copy), timeout);
        if (!reply || !is_redirect(reply->status)) co_return std::move(reply);
        const auto target = resolve_location(at, reply->header("Location"));
        if (!target) co_return no_redirect(at, "redirects to an unreadable location");
        if (at.tls && !target->tls) co_return no_redirect(at, "redirects from https to http: refused");
        request = carry_on(request, origin_, *target);
        at = *target;
    }
    co_return no_redirect(at, "redirects more than " + std::to_string(kMostHops) + " times");
}

std::shared_ptr<Transport> RedirectingTransport::transport_to(const net::Url& url) {
    const auto origin = url.origin();
    const auto found =
        std::find_if(pools_.begin(), pools_.end(), [&](const auto& pool) { return pool.first == origin; });
    if (found != pools_.end()) {
        pools_.splice(pools_.begin(), pools_, found);
        return pools_.front().second;
    }
    pools_.emplace_front(origin, factory_(url, options_));
    if (pools_.size() > kMostPools) pools_.pop_back();
    return pools_.front().second;
}

}  // namespace receiptd::rpc
