// HTTP/1.1 server for the daemon's own pages and for the sandbox's gateway. Plain TCP or a Unix
// socket: TLS is a proxy's task.
#pragma once

#include "base/task.hpp"
#include "net/http_client.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::net {

struct QueryParameter {
    std::string name;
    std::string value;
};

struct ServerRequest {
    std::string method;
    std::string path;   // decoded, without the query
    std::string query;  // raw, without '?'
    std::vector<Header> headers;
    std::string body;
    std::string target_host;  // of a target that names its host, with the port; empty: it does not
    std::string client;       // its address, its network by IPv6, or "unix"
    std::string_view header(std::string_view name) const;  // case-insensitive; empty if absent
    // Decoded value of a query parameter; empty if absent.
    std::string query_parameter(std::string_view name) const;
    // All of them as they come; nullopt if one has a broken escape.
    std::optional<std::vector<QueryParameter>> query_parameters() const;
};

// Thrown by a handler: the connection is reset without an answer; by NextPiece: it is closed amid the body.
class HangUp : public std::exception {
public:
    const char* what() const noexcept override { return "hung up"; }
};

// The next piece of a body that is made while it is sent; empty: the end. Called when the client has
// taken the piece before, so a slow one is never ahead of itself. Cancelled (its co_await throws
// operation_aborted) when the client goes away or the server stops; what else it throws breaks the answer
// off.
using NextPiece = std::function<base::Task<std::string>()>;

struct ServerReply {
    int status = 200;
    std::vector<Header> headers;  // Content-Type among them; length, date and connection are added
    std::string body;
    std::shared_ptr<const std::string> shared_body;  // sent instead of body if set
    NextPiece next_piece;                            // sent instead of both if set
};

struct HttpServerOptions {
    // host:port (port 0 picks a free one), or unix:PATH
    std::string listen = "127.0.0.1:0";
    unsigned unix_mode = 0660;                      // of the socket's file
    std::uint64_t max_request_bytes = 10ull << 20;  // of a body; above: 413
    // For the silence between requests, for the whole of a request, and for an answer, which has a second
    // more for each `least_bytes_per_second`.
    std::chrono::milliseconds idle_timeout{75'000};
    std::uint64_t least_bytes_per_second = 32u << 10;
    // A client that has not taken a piece of a streamed body by then is cut off.
    std::chrono::milliseconds piece_timeout{10'000};
    // Bodies of requests until these are answered, and answers that clients have not read yet; above, the
    // slowest writer or reader is cut off. If all of them are in work: 503 to the next one.
    std::uint64_t max_held_bytes = 24ull << 20;
    // One more than these, and a connection that waits for its client gives way, of the client that has most.
    // If none does, the new one is of the reserve: it may put one request that `is_probe` takes, else 503.
    std::size_t max_connections = 1'024;
    std::size_t probe_connections = 16;
    std::function<bool(const ServerRequest& head)> is_probe;
    // Asked when the head of a request is there and its body is not: a reply refuses it, unread.
    std::function<std::optional<ServerReply>(const ServerRequest& head)> refuse_head;
    // How the server says what no handler has said (400, 408, 413, 431, 500, 503); unset: plain text.
    std::function<ServerReply(int status, std::string_view text)> refusal;
};

class HttpServer {
public:
    // May take long. It is cancelled (its co_await throws operation_aborted) when the client goes away
    // or the server is closed. An exception other than HangUp becomes a 500 without details.
    using Handler = std::function<base::Task<ServerReply>(ServerRequest)>;

    // Binds at once (throws std::system_error with the address in the text); serves from start().
    HttpServer(boost::asio::any_io_executor executor, HttpServerOptions options, Handler handler);
    ~HttpServer();  // closes the listener and all connections
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    void start();
    // Stops accepting, lets running requests finish for at most `grace`.
    base::Task<void> stop(std::chrono::milliseconds grace);
    std::string address() const;  // "127.0.0.1:40123", "unix:/run/receiptd/http.sock"
    std::uint16_t port() const;   // 0: of a Unix socket

private:
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace receiptd::net
