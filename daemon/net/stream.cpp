#include "net/stream.hpp"

#include "base/sleep.hpp"
#include "net/proxy.hpp"
#include "net/tls.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace receiptd::net {

namespace asio = boost::asio;

namespace {

auto into(Stream::Error& error) { return asio::redirect_error(asio::use_awaitable, error); }

}  // namespace

// Asio's resolver blocks a thread of its own in getaddrinfo() and cannot be interrupted there, so
// the coroutine waits for `done` and leaves a late answer to nobody.
struct Stream::Lookup {
    explicit Lookup(const asio::any_io_executor& executor) : resolver(executor), done(executor) {}
    Tcp::resolver resolver;
    asio::steady_timer done;
    bool finished = false;
    Error error;
    std::vector<Tcp::endpoint> endpoints;
};

Stream::Stream(asio::any_io_executor executor, const HttpClientOptions& options)
    : origin_(options.origin),
      proxy_(options.proxy),
      filter_(options.address_filter),
      unix_path_(options.unix_path),
      socket_(executor),
      timer_(executor) {}

base::Task<std::optional<TransportError>> Stream::open(asio::ssl::context* tls,
                                                       std::chrono::milliseconds limit) {
    const auto until = std::chrono::steady_clock::now() + limit;
    if (!unix_path_.empty()) co_return co_await connect_there(until);
    std::vector<Tcp::endpoint> endpoints;
    auto problem = co_await resolve(until, endpoints);
    if (!problem) problem = filter(endpoints);
    if (!problem) problem = co_await connect(until, endpoints);
    if (!problem && tls && proxy_) problem = co_await open_tunnel(until);
    if (!problem && tls) problem = co_await shake_hands(until, *tls);
    clear_limit();
    co_return problem;
}

std::shared_ptr<Stream::Lookup> Stream::start_lookup(const std::string& host, std::uint16_t port,
                                                     SteadyTime until) {
    auto lookup = std::make_shared<Lookup>(socket_.get_executor());
    lookup->done.expires_at(until);
    lookup->resolver.async_resolve(host, std::to_string(port), Tcp::resolver::numeric_service,
                                   [lookup](const Error& error, const Tcp::resolver::results_type& results) {
                                       lookup->finished = true;
                                       lookup->error = error;
                                       for (const auto& entry : results)
                                           lookup->endpoints.push_back(entry.endpoint());
                                       lookup->done.cancel();
                                   });
    return lookup;
}

base::Task<std::optional<TransportError>> Stream::resolve(SteadyTime until,
                                                          std::vector<Tcp::endpoint>& found) {
    Error error;
    const auto& host = proxy_ ? proxy_->host : origin_.host;
    const auto port = proxy_ ? proxy_->port : origin_.port;
    const auto address = asio::ip::make_address(host, error);
    if (!error) {
        found.emplace_back(address, port);
        co_return std::nullopt;
    }
    const auto lookup = start_lookup(host, port, until);
    lookup_ = lookup;
    co_await lookup->done.async_wait(into(error));
    lookup_.reset();
    if (!lookup->finished) {
        lookup->resolver.cancel();
        if (!error) ended_ = Ended::timeout;
        co_return failure(TransportFault::resolve, "resolve", error);
    }
    found = std::move(lookup->endpoints);
    if (ended_ != Ended::no || lookup->error || found.empty())
        co_return failure(TransportFault::resolve, "resolve", lookup->error);
    co_return std::nullopt;
}

std::optional<TransportError> Stream::filter(std::vector<Tcp::endpoint>& endpoints) const {
    if (!filter_) return std::nullopt;
    std::string refused;
    const auto refuses = [&](const asio::ip::address& address) {
        const auto why = filter_(address);
        if (why && refused.empty()) refused = address.to_string() + " is " + std::string(*why);
        return why.has_value();
    };
    if (proxy_) {
        Error is_a_name;
        const auto address = asio::ip::make_address(origin_.host, is_a_name);
        if (is_a_name || !refuses(address)) return std::nullopt;
    } else {
        std::erase_if(endpoints, [&](const Tcp::endpoint& endpoint) { return refuses(endpoint.address()); });
        if (!endpoints.empty()) return std::nullopt;
    }
    return failure(TransportFault::refused, "address refused", refused);
}

base::Task<std::optional<TransportError>> Stream::connect(SteadyTime until,
                                                          const std::vector<Tcp::endpoint>& endpoints) {
    Error error;
    for (std::size_t i = 0; i < endpoints.size(); ++i) {
        // Each address has its share of the time, so that a dead first one leaves some to the next.
        const auto left = until - std::chrono::steady_clock::now();
        set_limit(left / static_cast<long>(endpoints.size() - i));
        co_await socket_.async_connect(endpoints[i], into(error));
        if (!error && ended_ == Ended::no) {
            Error ignored;
            socket_.set_option(Tcp::no_delay(true), ignored);
            co_return std::nullopt;
        }
        socket_.close();
        const bool cancelled = error == asio::error::operation_aborted && ended_ == Ended::no;
        const bool last = i + 1 == endpoints.size();
        if (last || cancelled || ended_ == Ended::stopped) break;
        ended_ = Ended::no;
    }
    co_return failure(TransportFault::connect, "connect", error);
}

base::Task<std::optional<TransportError>> Stream::connect_there(SteadyTime until) {
    set_limit(until - std::chrono::steady_clock::now());
    Error error;
    co_await socket_.async_connect(asio::local::stream_protocol::endpoint(unix_path_), into(error));
    if (error || ended_ != Ended::no) co_return failure(TransportFault::connect, "connect", error);
    clear_limit();
    co_return std::nullopt;
}

base::Task<std::optional<TransportError>> Stream::open_tunnel(SteadyTime until) {
    constexpr std::size_t kLongestAnswer = 16 << 10;
    set_limit(until - std::chrono::steady_clock::now());
    const auto request = tunnel_request(origin_, *proxy_);
    Error error;
    co_await asio::async_write(socket_, asio::buffer(request), into(error));
    std::string answer;
    std::array<char, 2'048> piece;
    // The origin says nothing before the handshake, so that all that comes is the proxy's.
    while (!error && answer.find("\r\n\r\n") == std::string::npos && answer.size() < kLongestAnswer)
        answer.append(piece.data(), co_await socket_.async_read_some(asio::buffer(piece), into(error)));
    if (error || ended_ != Ended::no) co_return failure(TransportFault::connect, "proxy", error);
    clear_limit();
    if (const auto refusal = tunnel_refusal(answer))
        co_return failure(TransportFault::connect, "proxy", *refusal);
    co_return std::nullopt;
}

base::Task<std::optional<TransportError>> Stream::shake_hands(SteadyTime until, asio::ssl::context& tls) {
    tls_.emplace(socket_, tls);
    if (!expect_host(tls_->native_handle(), origin_.host))
        co_return failure(TransportFault::tls, "TLS handshake", "the host's name is not usable");
    set_limit(until - std::chrono::steady_clock::now());
    Error error;
    co_await tls_->async_handshake(asio::ssl::stream_base::client, into(error));
    if (!error && ended_ == Ended::no) co_return std::nullopt;
    if (ended_ != Ended::no || error == asio::error::operation_aborted)
        co_return failure(TransportFault::tls, "TLS handshake", error);
    co_return failure(TransportFault::tls, "TLS handshake", handshake_problem(tls_->native_handle(), error));
}

void Stream::set_limit(SteadyTime::duration limit) {
    timer_.expires_after(limit);
    timer_.async_wait([weak = weak_from_this(), number = ++limit_number_](const Error& error) {
        const auto self = weak.lock();
        if (error || !self || self->limit_number_ != number) return;
        if (self->ended_ == Ended::no) self->ended_ = Ended::timeout;
        self->close();
    });
}

void Stream::clear_limit() {
    ++limit_number_;
    timer_.cancel();
}

base::Task<std::size_t> Stream::read_some(char* data, std::size_t size, Error& error) {
    const asio::mutable_buffer buffer(data, size);
    std::size_t count = 0;
    if (tls_)
        count = co_await tls_->async_read_some(buffer, into(error));
    else
        count = co_await socket_.async_read_some(buffer, into(error));
    received_ += count;
    co_return count;
}

base::Task<void> Stream::write(std::array<asio::const_buffer, 2> buffers, Error& error) {
    if (tls_)
        co_await asio::async_write(*tls_, buffers, into(error));
    else
        co_await asio::async_write(socket_, buffers, into(error));
}

bool Stream::looks_alive() {
    // TLS too: a server has nothing to say between answers but "closing".
    char byte = 0;
    const auto count = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

void Stream::stop() {
    ended_ = Ended::stopped;
    close();
}

void Stream::close() {
    if (lookup_) lookup_->done.cancel();
    Error ignored;
    socket_.close(ignored);
}

TransportError Stream::failure(TransportFault fault, std::string_view phase, const Error& error) const {
    if (ended_ == Ended::stopped) return failure(TransportFault::reset, phase, "the client was closed");
    if (ended_ == Ended::timeout) return failure(TransportFault::timeout, phase, "timed out");
    if (error == asio::error::operation_aborted) throw boost::system::system_error(error);
    if (error == asio::error::eof || error == asio::ssl::error::stream_truncated)
        return failure(fault, phase, "closed by the server");
    if (!error) return failure(fault, phase, "no address");
    return failure(fault, phase, error.message());
}

TransportError Stream::failure(TransportFault fault, std::string_view phase, std::string_view cause) const {
    TransportError result;
    result.fault = fault;
    result.text.append(origin_.origin());
    if (proxy_) result.text.append(" through the proxy ").append(proxy_->name());
    result.text.append(": ").append(phase).append(": ").append(cause);
    return result;
}

}  // namespace receiptd::net
