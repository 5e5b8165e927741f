#include "net/server_connection.hpp"

#include "base/coroutine.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace receiptd::net {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds kLingerTime{2};  // for a refused client that is still sending
constexpr std::uint64_t kLingerBytes = 8u << 20;
constexpr std::size_t kLingerRead = 64 * 1024;
// The kernel keeps no more for a client that does not read; what it keeps counts towards MemoryMax, too.
constexpr int kMostUnsent = 128 * 1024;

auto into_error(ServerConnection::Error& error) { return asio::redirect_error(asio::use_awaitable, error); }

}  // namespace

ServerConnection::ServerConnection(Socket socket)
    : socket_(std::move(socket)), timer_(socket_.get_executor()) {
    Error ignored;  // a Unix socket has neither option
    socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
    using NotSent = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_NOTSENT_LOWAT>;
    socket_.set_option(NotSent(kMostUnsent), ignored);
}

void ServerConnection::set_limit(std::chrono::steady_clock::duration limit) {
    timed_out_ = false;
    timer_.expires_after(limit);
    timer_.async_wait([weak = weak_from_this(), number = ++limit_number_](const Error& error) {
        const auto self = weak.lock();
        if (error || !self || self->limit_number_ != number) return;
        self->timed_out_ = true;
        Error ignored;
        self->socket_.cancel(ignored);
    });
}

void ServerConnection::clear_limit() {
    ++limit_number_;
    timer_.cancel();
}

base::Task<std::size_t> ServerConnection::read_some(char* data, std::size_t size, Error& error) {
    co_return co_await socket_.async_read_some(asio::buffer(data, size), into_error(error));
}

base::Task<bool> ServerConnection::write(asio::const_buffer head, asio::const_buffer body,
                                         std::chrono::steady_clock::duration limit) {
    std::array<asio::const_buffer, 2> rest = {head, body};
    set_limit(limit);
    while (rest[0].size() + rest[1].size() > 0) {
        Error error;
        const std::size_t count = co_await socket_.async_write_some(rest, into_error(error));
        // A limit that was reached between two writes cancelled none of them.
        if (error || timed_out_) {
            close();
            co_return false;
        }
        const std::size_t of_head = std::min(count, rest[0].size());
        rest[0] += of_head;
        rest[1] += count - of_head;
    }
    clear_limit();
    co_return true;
}

// A socket closed with unread bytes in it resets the connection, and the client may lose the answer that it
// has not read yet.
base::Task<void> ServerConnection::linger() {
    Error error;
    if (!socket_.is_open()) co_return;
    socket_.shutdown(Socket::shutdown_send, error);
    set_limit(kLingerTime);
    static thread_local std::array<char, kLingerRead> nowhere;  // nobody looks at them
    for (std::uint64_t total = 0; !error && !timed_out_ && total < kLingerBytes;)
        total += co_await socket_.async_read_some(asio::buffer(nowhere), into_error(error));
    clear_limit();
    close();
}

void ServerConnection::watch(std::function<void()> gone) {
    gone_ = std::move(gone);
    socket_.async_wait(Socket::wait_read, [weak = weak_from_this()](const Error& error) {
        const auto self = weak.lock();
        if (error || !self || !self->gone_ || !self->client_is_gone()) return;
        const auto tell = std::exchange(self->gone_, {});
        tell();
    });
}

void ServerConnection::unwatch() {
    gone_ = {};
    Error ignored;
    socket_.cancel(ignored);
}

bool ServerConnection::client_is_gone() {
    char byte = 0;  // a byte that is there is the next request's, and is left alone
    const auto count = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return count == 0 || (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

void ServerConnection::reset() {
    Error ignored;
    socket_.set_option(asio::socket_base::linger(true, 0), ignored);
    close();
}

void ServerConnection::close() {
    Error ignored;
    socket_.close(ignored);
}

}  // namespace receiptd::net
