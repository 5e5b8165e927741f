// /v1/alerts: deliveries as people see them, and sent anew.
#include "api/body.hpp"
#include "api/delivery_json.hpp"
#include "api/list_reply.hpp"
#include "api/query.hpp"
#include "api/services.hpp"
#include "base/coroutine.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace receiptd::api {

namespace {

using nlohmann::json;

// As the table's CHECK has them.
constexpr std::array<std::string_view, 3> kDeliveryStates = {"pending", "delivered", "dead"};

bool is_delivery_state(const std::string& state) {
    return std::find(kDeliveryStates.begin(), kDeliveryStates.end(), state) != kDeliveryStates.end();
}

std::string delivery_text(const storage::DeliveryRow& row) {
    return delivery_json(row).dump(-1, ' ', false, json::error_handler_t::replace);
}

base::Task<net::ServerReply> list_alerts(SharedContext context, Call call) {
    Query query(call.request, {"state", "endpoint", "rule", "cursor", "limit"});
    storage::DeliveryFilter filter;
    filter.state = query.text("state");
    filter.endpoint = query.text("endpoint");
    filter.rule = query.text("rule");
    filter.limit = query.limit();
    if (!filter.state.empty() && !is_delivery_state(filter.state))
        query.refuse("state", "must be pending, delivered or dead");
    filter.cursor = query.text("cursor");
    if (!filter.cursor.empty()) {
        const auto cursor = storage::parse_delivery_cursor(filter.cursor);
        if (!cursor || !is_time(cursor->created_at))
            query.refuse("cursor", "must be the next_cursor of an answer");
    }
    if (query.fault()) co_return problem_reply(*query.fault());
    const auto limit = filter.limit++;  // one more tells whether there are more
    auto listing = context->services.deliveries.list_deliveries(std::move(filter));
    auto found = co_await context->calls.wait_for(std::move(listing));
    std::optional<std::string> next;
    if (found.size() > limit) {
        found.resize(limit);
        next = storage::delivery_cursor(found.back());
    }
    co_return co_await list_reply(context->services.cpu, "alerts", std::move(found), delivery_text,
                                  std::move(next));
}

base::Result<storage::DeliveryFilter, Problem> resend_filter(const json& body) {
    if (!body.is_object()) return bad_body("", "must be an object {alert_id?, endpoint?, rule?, state?}");
    if (auto fault = unknown_member(body, "", {"alert_id", "endpoint", "rule", "state"})) return *fault;
    storage::DeliveryFilter filter;
    for (const auto& [name, place] :
         {std::pair{"alert_id", &filter.alert_id}, std::pair{"endpoint", &filter.endpoint},
          std::pair{"rule", &filter.rule}, std::pair{"state", &filter.state}}) {
        const auto value = text_member(body, "", name);
        if (!value) return value.error();
        *place = *value;
    }
    if (filter.alert_id.empty() && filter.rule.empty() && filter.state != "dead")
        return bad_body(
            "/alert_id",
            "alert_id is missing; without it only those of a rule, or of \"state\": \"dead\", are sent anew");
    if (!filter.state.empty() && !is_delivery_state(filter.state))
        return bad_body("/state", "state must be pending, delivered or dead");
    filter.limit = 0;
    return filter;
}

base::Task<net::ServerReply> resend(SharedContext context, Call call) {
    const auto body = co_await parse_body(context->services.cpu, std::move(call.request.body));
    if (!body) co_return problem_reply(body.error());
    auto filter = resend_filter(*body);
    if (!filter) co_return problem_reply(filter.error());
    auto sending = context->services.deliveries.resend(std::move(*filter));
    const auto due = co_await context->calls.wait_for(std::move(sending));
    json answer;
    answer["due"] = due;
    co_return json_reply(200, to_text(answer));
}

}  // namespace

std::vector<Route> alert_routes(const SharedContext& context) {
    return {{"GET", "/v1/alerts", Access::read, bound(context, list_alerts)},
            {"POST", "/v1/alerts/resend", Access::write, bound(context, resend)}};
}

}  // namespace receiptd::api
