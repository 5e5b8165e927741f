// HTTP/1.1 client: one keep-alive connection pool per origin, TLS verified against the system
// roots with SNI, gzip, a time limit for every phase, a cap on the answer's size.
#pragma once

#include "base/proxy.hpp"
#include "base/result.hpp"
#include "base/task.hpp"
#include "net/address_guard.hpp"
#include "net/answer_room.hpp"
#include "net/url.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::net {

struct Header {
    std::string name;
    std::string value;
};

struct HttpRequest {
    std::string method = "GET";
    std::string target = "/";  // path and query; may hold a secret, so it is never printed
    std::vector<Header> headers;
    std::string body;
    // The limit of this answer, compressed and decompressed alike; the client's own limit holds, too.
    std::uint64_t max_response_bytes = std::numeric_limits<std::uint64_t>::max();
    std::shared_ptr<AnswerRoom> room;  // for its answer; null: the client's
    // Called when an answer of status 200 waits for room, or for its turn to be read.
    std::function<void()> on_large;
};

struct HttpResponse {
    int status = 0;
    std::vector<Header> headers;
    std::string body;              // decompressed; capacity >= size + 64 (chain/document.hpp)
    std::uint64_t wire_bytes = 0;  // of the body as received
    AnswerRoom::Share room;        // of a large body, and kept as long
    std::string_view header(std::string_view name) const;  // case-insensitive; empty if absent
};

enum class TransportFault {
    resolve,
    refused,  // every address of the host is refused by the filter
    connect,
    tls,
    timeout,
    reset,  // closed or broken before the whole answer came
    too_large,
    malformed,  // not HTTP, or a body that does not decompress
};
const char* to_string(TransportFault fault);

struct TransportError {
    TransportFault fault = TransportFault::reset;
    std::string text;  // for people: origin, phase and cause; never the target, headers or body
    // With too_large: of the answer whose body was not read.
    int status = 0;
    std::vector<Header> headers{};
};

struct HttpClientOptions {
    Url origin;
    std::size_t max_connections = 8;                    // further requests wait for a free one
    std::chrono::milliseconds connect_timeout{5'000};   // resolve + connect + TLS handshake
    std::chrono::milliseconds request_timeout{30'000};  // write + whole answer
    std::chrono::milliseconds idle_timeout{30'000};     // a connection is kept unused for so long
    std::chrono::milliseconds longest_kept{300'000};    // then the name is looked up again
    std::uint64_t max_response_bytes = 64ull << 20;     // compressed and decompressed alike
    bool gzip = true;                                   // ask for it (pointless on loopback)
    boost::asio::thread_pool* cpu = nullptr;            // decompresses large bodies; null: the executor does
    std::shared_ptr<AnswerRoom> room;                   // for large answers; null: without end
    std::string user_agent = "receiptd";
    std::string unix_path;  // of a Unix socket, which is connected to in place of the origin; empty: none
    std::string ca_file;    // in place of the system roots
    // Https goes through a tunnel of it (CONNECT); of http it gets the whole address.
    std::optional<base::Proxy> proxy;
    // Applied to what the name resolves to, once for each connection: it is made to an address that
    // passed and to no other, so what the name says later does not count. Empty: all pass. Through a proxy,
    // which finds the address itself, it is applied to an origin that is an address.
    AddressFilter address_filter;
};

class HttpClient {
public:
    // All coroutines of one client run on `executor`, which must be single-threaded.
    HttpClient(boost::asio::any_io_executor executor, HttpClientOptions options);
    ~HttpClient();
    HttpClient(HttpClient&&) noexcept;
    HttpClient& operator=(HttpClient&&) noexcept;

    // One request, no redirects, no retries but this: a kept connection that the server had closed
    // already is replaced by a fresh one. Cancelling the awaiting coroutine closes the connection
    // and throws operation_aborted there; destroying the client ends all requests with `reset`.
    // A named request, moved in: `co_await send({...})` breaks under g++ 12 (base/coroutine.hpp).
    base::Task<base::Result<HttpResponse, TransportError>> send(HttpRequest request);
    // The same with another time limit for the whole answer.
    base::Task<base::Result<HttpResponse, TransportError>> send(HttpRequest request,
                                                                std::chrono::milliseconds request_timeout);

    const Url& origin() const;

private:
    struct Pool;
    std::shared_ptr<Pool> pool_;
};

}  // namespace receiptd::net
