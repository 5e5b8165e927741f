#include "api/api.hpp"

#include "base/coroutine.hpp"

#include <iterator>

namespace receiptd::api {

namespace {

// The largest transaction a node takes has 1.5 MiB, in base64 2 MiB.
constexpr std::uint64_t kMostRequestBytes = 4ull << 20;

std::vector<Route> all_routes(const SharedContext& context, const MakeRoutes& more) {
    std::vector<Route> all;
    const auto add = [&](std::vector<Route> routes) {
        std::move(routes.begin(), routes.end(), std::back_inserter(all));
    };
    for (auto* const part : {page_routes, watch_routes, transaction_routes, history_routes, search_routes,
                             finding_routes, alert_routes, rule_routes, rule_trial_routes, endpoint_routes,
                             schema_routes, silence_routes, stream_routes})
        add(part(context));
    if (more) add(more(context));
    return all;
}

base::Task<net::ServerReply> answer(std::shared_ptr<const Router> router, net::ServerRequest request) {
    co_return co_await router->answer(std::move(request));
}

}  // namespace

Api::Api(const base::asio::any_io_executor& executor, Services services, const ApiOptions& options,
         const MakeRoutes& more)
    : context_(std::make_shared<Context>(std::make_shared<Shared>(executor, std::move(services), options))),
      router_(std::make_shared<const Router>(all_routes(context_, more), context_->services.guard,
                                             context_->services.series)) {}

net::HttpServer::Handler Api::handler() const {
    return [router = router_](net::ServerRequest request) { return answer(router, std::move(request)); };
}

base::Task<void> Api::feed_stream() { return context_->hub.run(); }

void Api::stop() {
    context_->shared->calls.cancel();
    context_->submissions.cancel();
    context_->checks.cancel();
    context_->rehearsals.cancel();
}

net::HttpServerOptions Api::server_options() const {
    net::HttpServerOptions options;
    options.is_probe = [router = router_](const net::ServerRequest& head) { return router->is_probe(head); };
    options.refuse_head = [router = router_](const net::ServerRequest& head) { return router->refuse(head); };
    options.max_request_bytes = kMostRequestBytes;
    options.refusal = refusal;
    return options;
}

}  // namespace receiptd::api
