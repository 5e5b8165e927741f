// One connection of the server.
#pragma once

#include "net/http_server.hpp"
#include "net/reply_text.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <set>

namespace receiptd::net {

class ServerSession {
public:
    virtual ~ServerSession() = default;
    // Closes when the request that runs has its answer; at once if none runs. A streamed answer ends
    // with the piece that is being sent.
    virtual void finish() = 0;
    // Closes now and cancels the handler.
    virtual void abort() = 0;
    // Since when it has waited for the whole of a request; nullopt: it has one, or is closed.
    virtual std::optional<std::chrono::steady_clock::time_point> waiting_since() const = 0;
};

// State that the server and its sessions share.
struct ServerState {
    ServerState(const boost::asio::any_io_executor& executor, HttpServerOptions given,
                HttpServer::Handler function)
        : options(std::move(given)), handler(std::move(function)), drained(executor) {}

    ServerReply refuse(int status, std::string_view text) const {
        return options.refusal ? options.refusal(status, text) : plain_reply(status, text);
    }

    const HttpServerOptions options;
    const HttpServer::Handler handler;
    std::set<ServerSession*> sessions;  // each enters and leaves by itself
    boost::asio::steady_timer drained;  // cancelled when the last one leaves
};

void start_session(boost::asio::ip::tcp::socket socket, std::shared_ptr<ServerState> state);

}  // namespace receiptd::net
