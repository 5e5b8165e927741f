// The way to one origin, as small as the rpc module needs it: tests put a scripted one in.
#pragma once

#include "config/settings.hpp"
#include "net/http_client.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <string>

namespace receiptd::rpc {

class Transport {
public:
    using Reply = base::Result<net::HttpResponse, net::TransportError>;
    virtual ~Transport() = default;
    // One request and its answer, within `timeout`.
    virtual base::Task<Reply> send(net::HttpRequest request, std::chrono::milliseconds timeout) = 0;
};

class HttpTransport final : public Transport {
public:
    HttpTransport(boost::asio::any_io_executor executor, net::HttpClientOptions options)
        : client_(std::move(executor), std::move(options)) {}
    base::Task<Reply> send(net::HttpRequest request, std::chrono::milliseconds timeout) override;

private:
    net::HttpClient client_;
};

struct TransportOptions {
    unsigned max_connections = 8;
    bool gzip_on_loopback = false;  // elsewhere it is always asked for
    base::Secret proxy{};           // base/proxy.hpp; empty: none
    std::string ca_file{};          // in place of the system roots
    bool only_public = false;       // addresses (net/address_guard.hpp): another host chose the origin
};

// Makes the transport of an origin (the URL's target is not used).
using TransportFactory =
    std::function<std::shared_ptr<Transport>(const net::Url& origin, const TransportOptions& options)>;

// `cpu` outlives the transports.
TransportFactory http_transports(boost::asio::any_io_executor executor, boost::asio::thread_pool& cpu,
                                 const config::Timeouts& timeouts);

}  // namespace receiptd::rpc
