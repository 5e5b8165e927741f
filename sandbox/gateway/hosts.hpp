// The two hosts of a gateway, regular and archival, on their listeners, before one chain.
#pragma once

#include "net/http_server.hpp"
#include "sandbox/gateway/gateway.hpp"

#include <chrono>
#include <string>

namespace receiptd::sandbox {

struct HostsOptions {
    std::string listen = "127.0.0.1:0";
    std::string archival_listen = "127.0.0.1:0";
    GatewayOptions gateway;  // of the regular host; the archival one keeps all blocks
};

class Hosts {
public:
    // `chain`: a Chain or a LiveChain. It and the clock must outlive this. Binds at once (throws
    // std::system_error with the address in the text); serves from start().
    template <class AnyChain>
    Hosts(boost::asio::any_io_executor executor, AnyChain& chain, const base::Clock& clock,
          const HostsOptions& options)
        : regular_(chain, clock, options.gateway),
          archival_(chain, clock, archival_options(options.gateway)),
          regular_server_(executor, server_options(options.listen), handler(regular_)),
          archival_server_(executor, server_options(options.archival_listen), handler(archival_)) {
        if (options.gateway.retention_blocks > 0) regular_.set_archive_origin(archival_url());
    }

    void start();
    // Lets requests that run finish for at most `grace`, host by host.
    base::Task<void> stop(std::chrono::milliseconds grace);

    // To be called after each new block of a chain that lives.
    void chain_moved();

    Gateway& regular() { return regular_; }
    Gateway& archival() { return archival_; }
    std::string regular_url() const { return "http://" + regular_server_.address(); }
    std::string archival_url() const { return "http://" + archival_server_.address(); }

private:
    static GatewayOptions archival_options(GatewayOptions options);
    static net::HttpServerOptions server_options(const std::string& listen);
    static net::HttpServer::Handler handler(Gateway& gateway);

    Gateway regular_, archival_;
    net::HttpServer regular_server_, archival_server_;
};

}  // namespace receiptd::sandbox
