#include "sandbox/gateway/hosts.hpp"

#include "base/coroutine.hpp"

namespace receiptd::sandbox {

namespace {

constexpr std::uint64_t kSeedOffset = 1'000'003;  // the hosts fail independently of each other

}  // namespace

net::HttpServerOptions ServedHost::server_options(const std::string& listen) {
    net::HttpServerOptions options;
    options.listen = listen;
    return options;
}

net::HttpServer::Handler ServedHost::handler(Gateway& gateway) {
    return [&gateway](net::ServerRequest request) { return gateway.handle(std::move(request)); };
}

void Hosts::start() {
    for (const auto& host : hosts_) host->server.start();
}

base::Task<void> Hosts::stop(std::chrono::milliseconds grace) {
    for (const auto& host : hosts_) co_await host->server.stop(grace);
}

void Hosts::chain_moved() {
    for (const auto& host : hosts_) host->gateway.chain_moved();
}

ServedHost* Hosts::find(std::string_view name) const {
    for (const auto& host : hosts_) {
        if (host->gateway.name() == name) return host.get();
    }
    return nullptr;
}

GatewayOptions Hosts::regular_options(GatewayOptions options, std::size_t index) {
    if (index == 0) return options;
    options.name = "regular-" + std::to_string(index + 1);
    options.seed += (index + 1) * kSeedOffset;
    return options;
}

GatewayOptions Hosts::archival_options(GatewayOptions options) {
    options.name = "archival";
    options.retention_blocks = 0;
    options.archive_origin.clear();
    options.seed += kSeedOffset;
    return options;
}

void Hosts::name_archive() {
    const std::string origin = hosts_.back()->url();
    for (std::size_t i = 0; i + 1 < hosts_.size(); ++i) hosts_[i]->gateway.set_archive_origin(origin);
}

}  // namespace receiptd::sandbox
