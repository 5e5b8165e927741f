// /livez, /readyz, /metrics, /openapi.json, /v1/status: the daemon's own state, without asking the database.
#include "api/openapi.hpp"
#include "api/query.hpp"
#include "api/services.hpp"
#include "base/coroutine.hpp"
#include "base/exact_json.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::api {

namespace {

using nlohmann::json;

base::Task<net::ServerReply> livez(SharedContext, Call) {
    co_return text_reply(200, "text/plain; charset=utf-8", "ok");
}

base::Task<net::ServerReply> readyz(SharedContext context, Call) {
    const auto status = context->services.status();
    json reasons = json::array();
    for (const auto& reason : unreadiness(status))
        reasons.push_back({{"reason", reason.reason}, {"detail", reason.detail}});
    json body = {{"ready", reasons.empty()}, {"reasons", reasons}};
    for (const auto& note : notes(status))
        body["notes"].push_back({{"reason", note.reason}, {"detail", note.detail}});
    if (status.outbox) body["alerts"] = outbox_line(*status.outbox);
    co_return json_reply(reasons.empty() ? 200 : 503, base::write_json(body, 2));
}

base::Task<net::ServerReply> metrics_page(SharedContext context, Call) {
    auto text = context->services.metrics();
    while (text.ends_with('\n')) text.pop_back();
    co_return text_reply(200, "text/plain; version=0.0.4; charset=utf-8", std::move(text));
}

base::Task<net::ServerReply> openapi(SharedContext, Call) {
    co_return json_reply(200, documents().front().text);
}

base::Task<net::ServerReply> status_page(SharedContext context, Call call) {
    const Query query(call.request, {});
    if (query.fault()) co_return problem_reply(*query.fault());
    auto text = to_json(context->services.status());
    while (text.ends_with('\n')) text.pop_back();
    co_return json_reply(200, std::move(text));
}

}  // namespace

std::vector<Route> page_routes(const SharedContext& context) {
    return {{"GET", "/livez", Access::probe, bound(context, livez)},
            {"GET", "/readyz", Access::probe, bound(context, readyz)},
            {"GET", "/metrics", Access::metrics, bound(context, metrics_page)},
            {"GET", "/openapi.json", Access::read, bound(context, openapi)},
            {"GET", "/v1/status", Access::read, bound(context, status_page)}};
}

}  // namespace receiptd::api
