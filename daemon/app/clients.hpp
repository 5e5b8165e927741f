// What the configuration and the operating system leave to clients of the API.
#pragma once

#include "api/guard.hpp"
#include "config/settings.hpp"
#include "net/http_server.hpp"

namespace receiptd::app {

api::Guard guard_of(const config::Http& http);

// Where the server listens, and how many connections it takes: as many as leave enough file descriptors for
// the database, hosts and endpoints. Raises the process's own limit of descriptors as far as it may.
void set_up(net::HttpServerOptions& options, const config::Settings& settings);

}  // namespace receiptd::app
