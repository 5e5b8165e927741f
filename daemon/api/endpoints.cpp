// /v1/endpoints: who is told, tried out and switched on.
#include "api/endpoint_json.hpp"
#include "api/list_reply.hpp"
#include "api/query.hpp"
#include "api/services.hpp"
#include "base/coroutine.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::api {

namespace {

std::string endpoint_text(const storage::EndpointRow& row) { return to_text(endpoint_json(row)); }

net::ServerReply no_endpoint(const std::string& name, const char* where) {
    Problem problem;
    problem.status = 404;
    problem.detail = std::string(where) + " has no endpoint " + shown(name);
    return problem_reply(problem);
}

base::Task<net::ServerReply> list_endpoints(SharedContext context, Call call) {
    const Query query(call.request, {});
    if (query.fault()) co_return problem_reply(*query.fault());
    auto reading = context->services.endpoints.endpoints();
    auto found = co_await context->calls.wait_for(std::move(reading));
    co_return co_await list_reply(context->services.cpu, "endpoints", std::move(found), endpoint_text,
                                  std::nullopt);
}

base::Task<net::ServerReply> enable_endpoint(SharedContext context, Call call) {
    const auto& name = call.captured[0];
    auto switched = storage::Switched::no_such_endpoint;
    if (is_printable(name)) {
        auto switching = context->services.endpoints.switch_on(name);
        switched = co_await context->calls.wait_for(std::move(switching));
    }
    if (switched == storage::Switched::no_such_endpoint) co_return no_endpoint(name, "the database");
    nlohmann::json answer;
    answer["switched_on"] = switched == storage::Switched::now;
    co_return json_reply(200, to_text(answer));
}

// An attempt takes longer than a question to the database.
base::Task<net::ServerReply> test_endpoint(SharedContext context, Call call) {
    const auto& name = call.captured[0];
    auto testing = context->submissions.start(context->services.test_endpoint(name));
    const auto answer = co_await context->submissions.wait_for(
        std::move(testing), context->options.submission_patience, "the endpoint does not answer");
    if (!answer) co_return no_endpoint(name, "the configuration of this daemon");
    co_return json_reply(200, to_text(answer_json(*answer)));
}

}  // namespace

std::vector<Route> endpoint_routes(const SharedContext& context) {
    return {
        {"GET", "/v1/endpoints", Access::read, bound(context, list_endpoints)},
        {"POST", "/v1/endpoints/{name}/test", Access::write, bound(context, test_endpoint), Body::none},
        {"POST", "/v1/endpoints/{name}/enable", Access::write, bound(context, enable_endpoint), Body::none}};
}

}  // namespace receiptd::api
