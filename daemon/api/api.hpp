// The daemon's HTTP surface: /livez, /readyz, /metrics and /v1 (docs/api.md).
#pragma once

#include "api/services.hpp"
#include "net/http_server.hpp"

namespace receiptd::api {

class Api {
public:
    // `more`: routes beside those of the API itself; empty: none.
    Api(const base::asio::any_io_executor& executor, Services services, const ApiOptions& options = {},
        const MakeRoutes& more = {});

    const std::vector<Route>& routes() const { return router_->routes(); }

    // Valid on after this object, as long as the services are.
    net::HttpServer::Handler handler() const;
    // Feeds /v1/stream until it is cancelled or storage stops.
    base::Task<void> feed_stream();

    // Cancels calls that nobody waits for any more; the loop must run once more before the services end.
    void stop();

    // Options for opening the server, except its address.
    net::HttpServerOptions server_options() const;

private:
    SharedContext context_;
    std::shared_ptr<const Router> router_;
};

}  // namespace receiptd::api
