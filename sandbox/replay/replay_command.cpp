#include "sandbox/replay/replay_command.hpp"

#include "base/coroutine.hpp"
#include "base/log.hpp"
#include "sandbox/gateway/hosts.hpp"
#include "sandbox/replay/replay_chain.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <csignal>
#include <iostream>
#include <stdexcept>

namespace receiptd::sandbox {

namespace {

constexpr std::chrono::milliseconds kGrace{500};

void tell_links(const LinkCounts& links) {
    log::info("linked the repeated blocks; per round", {{"transactions", links.transactions},
                                                        {"receipts", links.receipts},
                                                        {"recorded_with_parent", links.recorded},
                                                        {"linked", links.linked},
                                                        {"orphans", links.orphans},
                                                        {"announced_and_dropped", links.dropped},
                                                        {"announced_and_open", links.open}});
}

ReplayChain make_chain(const ReplayOptions& options, const base::Clock& clock) {
    if (options.repeat && (options.whole_blocks.empty() || !options.rpc_folders.empty()))
        throw std::runtime_error("--repeat repeats whole blocks: give --whole-blocks, and no --rpc");
    WholeBlockRun run;
    if (!options.whole_blocks.empty()) run = WholeBlockRun(options.whole_blocks, options.repeat);
    if (options.repeat && !options.quiet) tell_links(run.links());
    if (options.compress) run.compress();
    return ReplayChain(RpcRecording(options.rpc_folders), std::move(run), clock, options.tip);
}

HostsOptions hosts_options(const ReplayOptions& options) {
    return {{options.listen}, options.archival_listen, options.gateway};
}

void announce(const Chain& chain, const Hosts& hosts, bool quiet) {
    if (!quiet) log::info("replaying", {{"first_height", chain.first()}, {"tip", chain.tip()}});
    std::cout << "ready\n";
    for (const auto& host : hosts.all()) std::cout << host->gateway.name() << ' ' << host->url() << '\n';
    std::cout << std::flush;
}

base::Task<void> serve_until_signal(boost::asio::io_context& context, const Chain& chain, Hosts& hosts,
                                    bool quiet) {
    boost::asio::signal_set signals(context, SIGINT, SIGTERM);
    hosts.start();
    announce(chain, hosts, quiet);  // only now, as a signal would have killed before
    co_await signals.async_wait(boost::asio::use_awaitable);
    co_await hosts.stop(kGrace);
    context.stop();  // whatever a held request still waits for
}

}  // namespace

int run_replay(const ReplayOptions& options) {
    boost::asio::io_context context(1);
    const base::SystemClock clock;
    ReplayChain chain = make_chain(options, clock);
    Hosts hosts(context.get_executor(), static_cast<Chain&>(chain), clock, hosts_options(options));
    boost::asio::co_spawn(context, serve_until_signal(context, chain, hosts, options.quiet),
                          boost::asio::detached);
    context.run();
    return 0;
}

}  // namespace receiptd::sandbox
