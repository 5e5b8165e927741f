// An io_context that runs one coroutine to its end, and a server that says exactly what it is told.
#pragma once

#include "base/coroutine.hpp"
#include "base/task.hpp"
#include "net/http_client.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <functional>
#include <memory>
#include <string>

namespace receiptd::net::testing {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

// Runs `task` on `io` until it is done, no matter what else is under way there.
template <class T>
T run_on(asio::io_context& io, base::Task<T> task) {
    std::optional<T> value;
    std::exception_ptr error;
    bool done = false;
    asio::co_spawn(io, std::move(task), [&](std::exception_ptr thrown, T result) {
        error = thrown;
        if (!thrown) value.emplace(std::move(result));
        done = true;
    });
    io.restart();
    while (!done && io.run_one() > 0) {
    }
    if (error) std::rethrow_exception(error);
    return std::move(value.value());
}

inline void run_on(asio::io_context& io, base::Task<void> task) {
    std::exception_ptr error;
    bool done = false;
    asio::co_spawn(io, std::move(task), [&](std::exception_ptr thrown) {
        error = thrown;
        done = true;
    });
    io.restart();
    while (!done && io.run_one() > 0) {
    }
    if (error) std::rethrow_exception(error);
}

// The script of one connection; connections are counted from 0. It is closed when the coroutine ends.
using Script = std::function<base::Task<void>(tcp::socket&, std::size_t)>;

class ScriptedServer {
public:
    ScriptedServer(asio::io_context& io, Script script)
        : state_(std::make_shared<State>(io, std::move(script))) {
        asio::co_spawn(io, accept(state_), asio::detached);
    }
    ~ScriptedServer() { state_->acceptor.close(); }
    ScriptedServer(const ScriptedServer&) = delete;
    ScriptedServer& operator=(const ScriptedServer&) = delete;

    std::uint16_t port() const { return state_->acceptor.local_endpoint().port(); }
    std::size_t connections() const { return state_->connections; }

private:
    struct State {
        State(asio::io_context& io, Script given)
            : acceptor(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0)), script(std::move(given)) {}
        tcp::acceptor acceptor;
        Script script;
        std::size_t connections = 0;
    };

    static base::Task<void> accept(std::shared_ptr<State> state) {
        while (state->acceptor.is_open()) {
            tcp::socket socket = co_await state->acceptor.async_accept(asio::use_awaitable);
            asio::co_spawn(state->acceptor.get_executor(),
                           serve(state, std::move(socket), state->connections++), asio::detached);
        }
    }
    static base::Task<void> serve(std::shared_ptr<State> state, tcp::socket socket, std::size_t number) {
        co_await state->script(socket, number);
    }

    std::shared_ptr<State> state_;
};

// The head of one request; what follows it stays in the socket or is dropped.
inline base::Task<std::string> read_head(tcp::socket& socket) {
    std::string text;
    const std::size_t size =
        co_await asio::async_read_until(socket, asio::dynamic_buffer(text), "\r\n\r\n", asio::use_awaitable);
    co_return text.substr(0, size);
}

inline base::Task<void> write_text(tcp::socket& socket, std::string text) {
    co_await asio::async_write(socket, asio::buffer(text), asio::use_awaitable);
}

// Everything until the other side closes; a reset ends it too.
inline base::Task<std::string> read_all(tcp::socket& socket) {
    std::string text;
    boost::system::error_code error;
    while (!error) {
        const std::size_t old = text.size();
        text.resize(old + 4096);
        const std::size_t count = co_await socket.async_read_some(
            asio::buffer(text.data() + old, 4096), asio::redirect_error(asio::use_awaitable, error));
        text.resize(old + count);
    }
    co_return text;
}

inline base::Task<void> answer_once(tcp::socket& socket, std::string text) {
    co_await read_head(socket);
    co_await write_text(socket, std::move(text));
}

// Answers the first request of every connection with `text`, then closes.
inline Script says(std::string text) {
    return [text = std::move(text)](tcp::socket& socket, std::size_t) { return answer_once(socket, text); };
}

inline HttpClientOptions options_for(std::uint16_t port) {
    HttpClientOptions options;
    options.origin.host = "127.0.0.1";
    options.origin.port = port;
    return options;
}

}  // namespace receiptd::net::testing
