#include "rpc/transport.hpp"

#include "base/coroutine.hpp"
#include "net/proxy.hpp"

#ifndef RECEIPTD_VERSION
#define RECEIPTD_VERSION "0"
#endif

namespace receiptd::rpc {

base::Task<Transport::Reply> HttpTransport::send(net::HttpRequest request,
                                                 std::chrono::milliseconds timeout) {
    return client_.send(std::move(request), timeout);
}

TransportFactory http_transports(boost::asio::any_io_executor executor, boost::asio::thread_pool& cpu,
                                 const config::Timeouts& timeouts) {
    net::AnswerRoom::Limits limits;
    limits.most_bytes = timeouts.max_response_bytes;
    const auto room = std::make_shared<net::AnswerRoom>(executor, &cpu, limits);
    return [executor, &cpu, timeouts, room](const net::Url& origin, const TransportOptions& wanted) {
        net::HttpClientOptions options;
        options.origin = origin;
        options.max_connections = wanted.max_connections;
        options.connect_timeout = timeouts.connect;
        options.request_timeout = timeouts.request;
        options.max_response_bytes = timeouts.max_response_bytes;
        options.gzip = wanted.gzip_on_loopback || !net::is_loopback(origin.host);
        options.cpu = &cpu;
        options.room = room;
        options.user_agent = "receiptd/" RECEIPTD_VERSION;
        options.ca_file = wanted.ca_file;
        options.proxy = net::proxy_of(wanted.proxy);
        if (wanted.only_public) options.address_filter = net::not_public;
        return std::make_shared<HttpTransport>(executor, std::move(options));
    };
}

}  // namespace receiptd::rpc
