// /v1/schemas: the messages that endpoints get, for programs.
#include "api/query.hpp"
#include "api/services.hpp"
#include "base/coroutine.hpp"
#include "base/exact_json.hpp"
#include "rule/messages.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::api {

namespace {

using nlohmann::ordered_json;

base::Task<net::ServerReply> list_schemas(SharedContext, Call call) {
    const Query query(call.request, {});
    if (query.fault()) co_return problem_reply(*query.fault());
    std::vector<std::string> items;
    for (const auto& each : rule::message_types()) {
        ordered_json one;
        one["type"] = each.type;
        one["meaning"] = each.meaning;
        one["schema"] = "/v1/schemas/" + std::string(each.type);
        items.push_back(base::write_json(one));
    }
    co_return json_reply(200, list_json("schemas", items, std::nullopt));
}

base::Task<net::ServerReply> get_schema(SharedContext, Call call) {
    const Query query(call.request, {});
    if (query.fault()) co_return problem_reply(*query.fault());
    auto schema = rule::message_schema(call.captured[0]);
    if (schema.empty()) {
        Problem problem;
        problem.status = 404;
        problem.detail = "there is no such type of messages; /v1/schemas lists all";
        co_return problem_reply(problem);
    }
    co_return text_reply(200, "application/schema+json", std::move(schema));
}

}  // namespace

std::vector<Route> schema_routes(const SharedContext& context) {
    return {{"GET", "/v1/schemas", Access::read, bound(context, list_schemas)},
            {"GET", "/v1/schemas/{type}", Access::read, bound(context, get_schema)}};
}

}  // namespace receiptd::api
