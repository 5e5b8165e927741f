#include "net/http_server.hpp"

#include "base/log.hpp"
#include "base/sleep.hpp"
#include "net/reply_text.hpp"
#include "net/server_session.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <charconv>
#include <system_error>

namespace receiptd::net {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using Error = boost::system::error_code;

namespace {

constexpr std::chrono::milliseconds kAcceptPause{100};  // after a failure such as too many open files

[[noreturn]] void cannot_listen(const std::string& address, const std::error_code& why) {
    throw std::system_error(why, "cannot listen on " + address);
}

void report_failure(const Error& error) {
    log::warn("a connection could not be accepted", {{"error", error.message()}});
}

// "127.0.0.1:80", "[::1]:80", "localhost:80"
tcp::endpoint parse_listen(const asio::any_io_executor& executor, const std::string& text) {
    const std::size_t colon = text.rfind(':');
    const auto bad = std::make_error_code(std::errc::invalid_argument);
    if (colon == std::string::npos) cannot_listen(text, bad);
    std::uint16_t port = 0;
    const char* end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data() + colon + 1, end, port);
    if (problem != std::errc{} || stop != end) cannot_listen(text, bad);
    std::string host = text.substr(0, colon);
    if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
    Error error;
    const auto address = asio::ip::make_address(host, error);
    if (!error) return {address, port};
    tcp::resolver resolver(executor);
    const auto found = resolver.resolve(host, std::to_string(port), tcp::resolver::passive, error);
    if (error || found.empty()) cannot_listen(text, error ? std::error_code(error) : bad);
    return found.begin()->endpoint();
}

}  // namespace

struct HttpServer::Impl {
    Impl(asio::any_io_executor given, HttpServerOptions options, Handler handler)
        : executor(std::move(given)), acceptor(executor), pause(executor) {
        const std::string listen = options.listen;
        state = std::make_shared<ServerState>(executor, std::move(options), std::move(handler));
        open(listen);
    }

    void open(const std::string& listen) {
        const tcp::endpoint endpoint = parse_listen(executor, listen);
        Error error;
        acceptor.open(endpoint.protocol(), error);
        if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
        if (!error) acceptor.bind(endpoint, error);
        if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
        if (error) cannot_listen(listen, error);
        local = acceptor.local_endpoint(error);
    }

    static base::Task<void> accept_clients(std::shared_ptr<Impl> self) {
        while (self->acceptor.is_open()) {
            Error error;
            tcp::socket socket =
                co_await self->acceptor.async_accept(asio::redirect_error(asio::use_awaitable, error));
            if (!self->acceptor.is_open()) co_return;
            if (error) {
                report_failure(error);
                self->pause.expires_after(kAcceptPause);
                co_await self->pause.async_wait(asio::redirect_error(asio::use_awaitable, error));
            } else if (self->state->sessions.size() < self->state->options.max_connections ||
                       self->end_longest_wait()) {
                start_session(std::move(socket), self->state);
            } else {
                turn_away(socket, *self->state);
            }
        }
    }

    // False: every session has its request.
    bool end_longest_wait() {
        ServerSession* longest = nullptr;
        for (ServerSession* session : state->sessions)
            if (session->waiting_since() &&
                (!longest || *session->waiting_since() < *longest->waiting_since()))
                longest = session;
        if (longest) longest->abort();
        return longest != nullptr;
    }

    // One try, without waiting: nobody is served slower for one who is not served at all.
    static void turn_away(tcp::socket& socket, const ServerState& state) {
        const ServerReply reply = state.refuse(503, "too many connections");
        const std::string text =
            write_reply_head(reply, Framing::length, reply.body.size(), false) + reply.body;
        Error ignored;
        socket.non_blocking(true, ignored);
        socket.write_some(asio::buffer(text), ignored);
        socket.shutdown(tcp::socket::shutdown_send, ignored);
    }

    void close_listener() {
        Error ignored;
        acceptor.close(ignored);
        pause.cancel();
    }

    // Over a copy: a session may leave while it is told to.
    void for_each_session(void (ServerSession::*action)()) {
        const auto sessions = state->sessions;
        for (ServerSession* session : sessions)
            if (state->sessions.contains(session)) (session->*action)();
    }

    static base::Task<void> drain(std::shared_ptr<Impl> self, std::chrono::milliseconds grace) {
        self->close_listener();
        self->for_each_session(&ServerSession::finish);
        if (!self->state->sessions.empty()) {
            Error error;
            self->state->drained.expires_after(grace);
            co_await self->state->drained.async_wait(asio::redirect_error(asio::use_awaitable, error));
        }
        self->for_each_session(&ServerSession::abort);
    }

    asio::any_io_executor executor;
    tcp::acceptor acceptor;
    asio::steady_timer pause;
    tcp::endpoint local;
    std::shared_ptr<ServerState> state;
};

HttpServer::HttpServer(asio::any_io_executor executor, HttpServerOptions options, Handler handler)
    : impl_(std::make_shared<Impl>(std::move(executor), std::move(options), std::move(handler))) {}

HttpServer::~HttpServer() {
    impl_->close_listener();
    impl_->for_each_session(&ServerSession::abort);
}

void HttpServer::start() { asio::co_spawn(impl_->executor, Impl::accept_clients(impl_), asio::detached); }

base::Task<void> HttpServer::stop(std::chrono::milliseconds grace) { return Impl::drain(impl_, grace); }

std::string HttpServer::address() const {
    const std::string host = impl_->local.address().to_string();
    return (impl_->local.address().is_v6() ? "[" + host + "]" : host) + ":" + std::to_string(port());
}

std::uint16_t HttpServer::port() const { return impl_->local.port(); }

}  // namespace receiptd::net
