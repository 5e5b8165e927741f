#include "api/routes.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace receiptd::api {
namespace {

using nlohmann::json;

net::ServerReply reply(int status, const char* content_type, std::string body) {
    net::ServerReply made;
    made.status = status;
    made.headers.push_back({"Content-Type", content_type});
    made.headers.push_back({"Cache-Control", "no-store"});
    made.body = std::move(body);
    return made;
}

net::ServerReply problem(int status, const char* title) {
    const json body = {{"type", "about:blank"}, {"title", title}, {"status", status}};
    return reply(status, "application/problem+json", body.dump() + "\n");
}

net::ServerReply readiness(const DaemonStatus& status) {
    json reasons = json::array();
    for (const auto& reason : unreadiness(status))
        reasons.push_back({{"reason", reason.reason}, {"detail", reason.detail}});
    json body = {{"ready", reasons.empty()}, {"reasons", reasons}};
    if (status.outbox) body["alerts"] = outbox_line(*status.outbox);
    return reply(reasons.empty() ? 200 : 503, "application/json",
                 body.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
}

net::ServerReply answer(const Pages& pages, const net::ServerRequest& request) {
    const auto& path = request.path;
    const bool known = path == "/livez" || path == "/readyz" || path == "/metrics" || path == "/v1/status";
    if (!known) return problem(404, "no such page");
    if (request.method != "GET" && request.method != "HEAD") {
        auto refused = problem(405, "GET only");
        refused.headers.push_back({"Allow", "GET, HEAD"});
        return refused;
    }
    if (path == "/livez") return reply(200, "text/plain; charset=utf-8", "ok\n");
    if (path == "/readyz") return readiness(pages.status());
    if (path == "/metrics") return reply(200, "text/plain; version=0.0.4; charset=utf-8", pages.metrics());
    return reply(200, "application/json", to_json(pages.status()));
}

base::Task<net::ServerReply> handle(std::shared_ptr<const Pages> pages, net::ServerRequest request) {
    co_return answer(*pages, request);
}

}  // namespace

net::HttpServer::Handler make_handler(Pages pages) {
    auto shared = std::make_shared<const Pages>(std::move(pages));
    return [shared](net::ServerRequest request) { return handle(shared, std::move(request)); };
}

}  // namespace receiptd::api
