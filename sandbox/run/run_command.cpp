#include "sandbox/run/run_command.hpp"

#include "base/coroutine.hpp"
#include "base/log.hpp"
#include "sandbox/run/control_api.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <csignal>
#include <iostream>

namespace receiptd::sandbox {

namespace {

// The servers end one after the other, all within a second: kMostRegularHosts bounds their number.
constexpr std::chrono::milliseconds kGrace{100};

net::HttpServerOptions control_options(const RunOptions& options) {
    net::HttpServerOptions made;
    made.listen = options.control_listen;
    return made;
}

void announce(Sandbox& made, const std::string& control) {
    std::cout << "ready\n";
    for (const auto& host : made.hosts().all())
        std::cout << host->gateway.name() << ' ' << host->url() << '\n';
    std::cout << "control http://" << control << '\n';
    for (const auto& account : made.ready())
        std::cout << "account " << account.account_id << ' ' << account.key.public_key().to_string() << ' '
                  << account.key.reveal() << '\n';
    std::cout << std::flush;
}

// A chain that cannot go on ends the program, loudly.
void end_on_error(boost::asio::io_context& context, std::exception_ptr error, std::exception_ptr& first) {
    if (!error) return;
    first = error;
    context.stop();
}

base::Task<void> serve_until_signal(boost::asio::io_context& context, Sandbox& made,
                                    net::HttpServer& control) {
    boost::asio::signal_set signals(context, SIGINT, SIGTERM);
    made.hosts().start();
    control.start();
    if (!made.options().quiet)
        log::info("sandbox", {{"genesis_height", made.ledger().first()},
                              {"shards", made.ledger().layout().size()},
                              {"seed", made.ledger().options().seed}});
    announce(made, control.address());
    co_await signals.async_wait(boost::asio::use_awaitable);
    made.ticker().stop();
    co_await control.stop(kGrace);
    co_await made.hosts().stop(kGrace);
    context.stop();  // whatever a held request still waits for
}

}  // namespace

int run_sandbox(RunOptions options) {
    boost::asio::io_context context(1);
    const base::SystemClock clock;
    Sandbox made(context.get_executor(), std::move(options), clock);
    ControlApi api(made);
    net::HttpServer control(context.get_executor(), control_options(made.options()),
                            [&api](net::ServerRequest request) { return api.handle(std::move(request)); });
    if (!made.options().keys_out.empty()) write_keys(made.options().keys_out, made.ready());
    std::exception_ptr failure;
    const auto on_end = [&](std::exception_ptr error) { end_on_error(context, error, failure); };
    boost::asio::co_spawn(context, serve_until_signal(context, made, control), on_end);
    boost::asio::co_spawn(context, made.ticker().run(), on_end);
    context.run();
    if (failure) std::rethrow_exception(failure);
    return 0;
}

}  // namespace receiptd::sandbox
