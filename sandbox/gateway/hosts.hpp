// The hosts of a gateway, regular ones and an archival one, each on a listener of its own, before one chain.
#pragma once

#include "net/http_server.hpp"
#include "sandbox/gateway/gateway.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::sandbox {

struct HostsOptions {
    std::vector<std::string> listen{"127.0.0.1:0"};  // a regular host each
    std::string archival_listen = "127.0.0.1:0";
    GatewayOptions gateway;  // of a regular host; the archival one keeps all blocks
};

struct ServedHost {
    Gateway gateway;
    net::HttpServer server;

    template <class AnyChain>
    ServedHost(boost::asio::any_io_executor executor, AnyChain& chain, const base::Clock& clock,
               GatewayOptions options, const std::string& listen)
        : gateway(chain, clock, std::move(options)),
          server(std::move(executor), server_options(listen), handler(gateway)) {}

    std::string url() const { return "http://" + server.address(); }

private:
    static net::HttpServerOptions server_options(const std::string& listen);
    static net::HttpServer::Handler handler(Gateway& gateway);
};

class Hosts {
public:
    // `chain`: a Chain or a LiveChain. It and the clock must outlive this. Binds at once (throws
    // std::system_error with the address in the text); serves from start().
    template <class AnyChain>
    Hosts(boost::asio::any_io_executor executor, AnyChain& chain, const base::Clock& clock,
          const HostsOptions& options) {
        for (std::size_t i = 0; i < options.listen.size(); ++i)
            hosts_.push_back(std::make_unique<ServedHost>(
                executor, chain, clock, regular_options(options.gateway, i), options.listen[i]));
        hosts_.push_back(std::make_unique<ServedHost>(
            executor, chain, clock, archival_options(options.gateway), options.archival_listen));
        if (options.gateway.retention_blocks > 0) name_archive();
    }

    void start();
    // Lets requests that run finish for at most `grace`, host by host.
    base::Task<void> stop(std::chrono::milliseconds grace);

    // To be called after each new block of a chain that lives.
    void chain_moved();

    // regular, regular-2, … and archival, in this order.
    const std::vector<std::unique_ptr<ServedHost>>& all() const { return hosts_; }
    ServedHost* find(std::string_view name) const;  // nullptr: there is none
    Gateway& regular() { return hosts_.front()->gateway; }
    Gateway& archival() { return hosts_.back()->gateway; }

private:
    static GatewayOptions regular_options(GatewayOptions options, std::size_t index);
    static GatewayOptions archival_options(GatewayOptions options);
    void name_archive();

    std::vector<std::unique_ptr<ServedHost>> hosts_;
};

}  // namespace receiptd::sandbox
