// One connection of the server, and the state that the connections share.
#pragma once

#include "net/http_server.hpp"
#include "net/server_connection.hpp"

#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace receiptd::net {

class ServerSession {
public:
    virtual ~ServerSession() = default;
    // Closes when the request that runs has its answer; at once if none runs. A streamed answer ends
    // with the piece that is being sent.
    virtual void finish() = 0;
    // Closes now and cancels the handler.
    virtual void abort() = 0;

    enum class Waits { not_for_client, for_reader, for_request };
    struct Standing {
        Waits waits = Waits::not_for_client;
        std::chrono::steady_clock::time_point since{};
        std::uint64_t held = 0;  // bytes of its request's body, or of an answer that is not read yet
        bool in_reserve = false;
    };
    const Standing& standing() const { return standing_; }
    const std::string& client() const { return client_; }
    // How many connections its client has; the number outlives the session.
    void counts_among(const std::size_t& connections) { of_client_ = &connections; }
    std::size_t of_client() const { return *of_client_; }

protected:
    explicit ServerSession(std::string client) : client_(std::move(client)) {}
    Standing standing_;

private:
    const std::string client_;
    const std::size_t* of_client_ = nullptr;
};

struct ServerState {
    ServerState(const boost::asio::any_io_executor& executor, HttpServerOptions given,
                HttpServer::Handler function)
        : options(std::move(given)), handler(std::move(function)), drained(executor) {}

    void enter(ServerSession& session);
    void leave(ServerSession& session);
    // Where the next connection goes. One that waits for its client may give way for it.
    enum class Room { usual, reserve, none };
    Room make_room();
    // Closes the connection that a client keeps waiting; false: there is none.
    bool end_longest_wait();
    // `session` holds so many bytes from now on. The slowest writers and readers give way if all hold too
    // many; false: they still do.
    bool hold(ServerSession& session, ServerSession::Standing& standing, std::uint64_t bytes);

    ServerReply refuse(int status, std::string_view text) const;

    const HttpServerOptions options;
    const HttpServer::Handler handler;
    std::set<ServerSession*> sessions;
    boost::asio::steady_timer drained;  // cancelled when the last one leaves

private:
    ServerSession* worst(bool in_reserve) const;

    std::map<std::string, std::size_t> connections_of_;  // client → how many
    std::size_t in_reserve_ = 0;
    std::uint64_t held_ = 0;
};

// `client`: its address. `in_reserve`: of the connections for probes.
void start_session(ServerConnection::Socket socket, std::shared_ptr<ServerState> state, std::string client,
                   bool in_reserve);

}  // namespace receiptd::net
