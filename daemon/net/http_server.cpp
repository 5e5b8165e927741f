#include "net/http_server.hpp"

#include "base/log.hpp"
#include "base/sleep.hpp"
#include "net/listener.hpp"
#include "net/reply_text.hpp"
#include "net/server_session.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace receiptd::net {

namespace asio = boost::asio;
using Error = boost::system::error_code;

namespace {

constexpr std::chrono::milliseconds kAcceptPause{100};  // after a failure that no closed connection helps
constexpr int kAcceptedAtOnce = 256;
constexpr std::chrono::minutes kSameFailure{1};  // within which it is not told again

}  // namespace

struct HttpServer::Impl {
    Impl(asio::any_io_executor given, HttpServerOptions options, Handler handler)
        : executor(std::move(given)), listener(executor, options.listen, options.unix_mode), pause(executor) {
        state = std::make_shared<ServerState>(executor, std::move(options), std::move(handler));
    }

    static base::Task<void> accept_clients(std::shared_ptr<Impl> self) {
        auto& acceptor = self->listener.acceptor();
        while (acceptor.is_open()) {
            Error error;
            Listener::Acceptor::endpoint_type from;
            auto socket =
                co_await acceptor.async_accept(from, asio::redirect_error(asio::use_awaitable, error));
            if (!acceptor.is_open()) co_return;
            if (!error) {
                self->admit(std::move(socket), client_of(from));
                self->admit_waiting();
            } else if (!self->recover(error)) {
                self->pause.expires_after(kAcceptPause);
                co_await self->pause.async_wait(asio::redirect_error(asio::use_awaitable, error));
            }
        }
    }

    // Sessions have a turn each before the next one is accepted: a probe would wait behind many.
    void admit_waiting() {
        for (int i = 0; i < kAcceptedAtOnce; ++i) {
            Error error;
            Listener::Acceptor::endpoint_type from;
            auto socket = listener.acceptor().accept(from, error);
            if (error) return;  // none waits; of another failure the next asynchronous one tells
            admit(std::move(socket), client_of(from));
        }
    }

    void admit(ServerConnection::Socket socket, std::string client) {
        const auto room = state->make_room();
        if (room == ServerState::Room::none) return turn_away(socket, *state);
        start_session(std::move(socket), state, std::move(client), room == ServerState::Room::reserve);
    }

    // Whether the next try may succeed at once: without a free descriptor a client that is waited for gives
    // way.
    bool recover(const Error& error) {
        const auto now = std::chrono::steady_clock::now();
        if (!failed_at || now > *failed_at + kSameFailure)
            log::warn("a connection could not be accepted", {{"error", error.message()}});
        failed_at = now;
        return error == asio::error::no_descriptors && state->end_longest_wait();
    }

    // One try, without waiting: nobody is served slower for one who is not served at all.
    static void turn_away(ServerConnection::Socket& socket, const ServerState& state) {
        const ServerReply reply = state.refuse(503, "too many connections");
        const std::string text =
            write_reply_head(reply, Framing::length, reply.body.size(), false) + reply.body;
        Error ignored;
        socket.non_blocking(true, ignored);
        socket.write_some(asio::buffer(text), ignored);
        socket.shutdown(ServerConnection::Socket::shutdown_send, ignored);
    }

    void close_listener() {
        listener.close();
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
    Listener listener;
    asio::steady_timer pause;
    std::optional<std::chrono::steady_clock::time_point> failed_at;
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

std::string HttpServer::address() const { return impl_->listener.address(); }
std::uint16_t HttpServer::port() const { return impl_->listener.port(); }

}  // namespace receiptd::net
