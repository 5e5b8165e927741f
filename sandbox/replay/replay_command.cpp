#include "sandbox/replay/replay_command.hpp"

#include "base/log.hpp"
#include "sandbox/replay/replay_chain.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <csignal>
#include <iostream>
#include <stdexcept>

namespace receiptd::sandbox {

namespace {

constexpr std::chrono::milliseconds kGrace{500};
constexpr std::uint64_t kArchivalSeedOffset = 1'000'003;  // the hosts fail independently of each other

ReplayChain make_chain(const ReplayOptions& options, const base::Clock& clock) {
    if (options.repeat && (options.whole_blocks.empty() || !options.rpc_folders.empty()))
        throw std::runtime_error("--repeat repeats whole blocks: give --whole-blocks, and no --rpc");
    WholeBlockRun run;
    if (!options.whole_blocks.empty()) run = WholeBlockRun(options.whole_blocks, options.repeat);
    return ReplayChain(RpcRecording(options.rpc_folders), std::move(run), clock, options.tip);
}

GatewayOptions archival_options(GatewayOptions options) {
    options.retention_blocks = 0;
    options.archive_origin.clear();
    options.seed += kArchivalSeedOffset;
    return options;
}

class Hosts {
public:
    Hosts(boost::asio::io_context& context, const ReplayOptions& options)
        : chain_(make_chain(options, clock_)),
          regular_(chain_, clock_, options.gateway),
          archival_(chain_, clock_, archival_options(options.gateway)),
          regular_server_(context.get_executor(), server_options(options.listen), handler(regular_)),
          archival_server_(context.get_executor(), server_options(options.archival_listen),
                           handler(archival_)) {
        if (options.gateway.retention_blocks > 0) regular_.set_archive_origin(archival_url());
    }

    void start() {
        regular_server_.start();
        archival_server_.start();
    }
    base::Task<void> stop() {
        co_await regular_server_.stop(kGrace);
        co_await archival_server_.stop(kGrace);
    }
    std::string regular_url() const { return "http://" + regular_server_.address(); }
    std::string archival_url() const { return "http://" + archival_server_.address(); }
    const ReplayChain& chain() const { return chain_; }

private:
    static net::HttpServerOptions server_options(const std::string& listen) {
        net::HttpServerOptions options;
        options.listen = listen;
        return options;
    }
    static net::HttpServer::Handler handler(Gateway& gateway) {
        return [&gateway](net::ServerRequest request) { return gateway.handle(std::move(request)); };
    }

    base::SystemClock clock_;
    ReplayChain chain_;
    Gateway regular_, archival_;
    net::HttpServer regular_server_, archival_server_;
};

void announce(const Hosts& hosts, bool quiet) {
    if (!quiet)
        log::info("replaying", {{"first_height", hosts.chain().first()}, {"tip", hosts.chain().tip()}});
    std::cout << "ready\nregular " << hosts.regular_url() << "\narchival " << hosts.archival_url()
              << std::endl;
}

base::Task<void> serve_until_signal(boost::asio::io_context& context, Hosts& hosts, bool quiet) {
    boost::asio::signal_set signals(context, SIGINT, SIGTERM);
    hosts.start();
    announce(hosts, quiet);  // only now, as a signal would have killed before
    co_await signals.async_wait(boost::asio::use_awaitable);
    co_await hosts.stop();
    context.stop();  // whatever a held request still waits for
}

}  // namespace

int run_replay(const ReplayOptions& options) {
    boost::asio::io_context context(1);
    Hosts hosts(context, options);
    boost::asio::co_spawn(context, serve_until_signal(context, hosts, options.quiet), boost::asio::detached);
    context.run();
    return 0;
}

}  // namespace receiptd::sandbox
