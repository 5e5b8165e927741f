#include "sandbox/gateway/hosts.hpp"

#include "base/coroutine.hpp"

namespace receiptd::sandbox {

namespace {

constexpr std::uint64_t kArchivalSeedOffset = 1'000'003;  // the hosts fail independently of each other

}  // namespace

void Hosts::start() {
    regular_server_.start();
    archival_server_.start();
}

base::Task<void> Hosts::stop(std::chrono::milliseconds grace) {
    co_await regular_server_.stop(grace);
    co_await archival_server_.stop(grace);
}

void Hosts::chain_moved() {
    regular_.chain_moved();
    archival_.chain_moved();
}

GatewayOptions Hosts::archival_options(GatewayOptions options) {
    options.name = "archival";
    options.retention_blocks = 0;
    options.archive_origin.clear();
    options.seed += kArchivalSeedOffset;
    return options;
}

net::HttpServerOptions Hosts::server_options(const std::string& listen) {
    net::HttpServerOptions options;
    options.listen = listen;
    return options;
}

net::HttpServer::Handler Hosts::handler(Gateway& gateway) {
    return [&gateway](net::ServerRequest request) { return gateway.handle(std::move(request)); };
}

}  // namespace receiptd::sandbox
