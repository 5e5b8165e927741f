// The daemon's own pages: /livez, /readyz, /metrics, /v1/status.
#pragma once

#include "api/status.hpp"
#include "metrics/registry.hpp"
#include "net/http_server.hpp"

#include <functional>

namespace receiptd::api {

struct Pages {
    std::function<DaemonStatus()> status;  // called on the server's executor
    std::function<std::string()> metrics;  // Prometheus text
};

net::HttpServer::Handler make_handler(Pages pages);

}  // namespace receiptd::api
