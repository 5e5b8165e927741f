// /v1/alerts: alerts and their deliveries as people see them, and sent anew.
#include "api/body.hpp"
#include "api/csv.hpp"
#include "api/delivery_json.hpp"
#include "api/list_reply.hpp"
#include "api/query.hpp"
#include "api/services.hpp"
#include "base/coroutine.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::api {

namespace {

using nlohmann::json;

const std::string kStateFault = std::string("must be ") + storage::kDeliveryStatesInWords;

std::string delivery_text(const storage::DeliveryRow& row) { return to_text(delivery_json(row)); }

storage::DeliveryFilter delivery_filter(Query& query) {
    storage::DeliveryFilter filter;
    filter.state = query.text("state");
    filter.endpoint = query.text("endpoint");
    filter.rule = query.text("rule");
    filter.group_id = query.number("group");
    filter.since = query.time("since");
    filter.until = query.time("until");
    filter.limit = query.limit();
    if (!filter.state.empty() && !storage::is_delivery_state(filter.state))
        query.refuse("state", kStateFault);
    filter.cursor = query.time_cursor(
        [](const std::string& cursor) { return storage::parse_delivery_cursor(cursor).has_value(); });
    return filter;
}

base::Task<net::ServerReply> list_alerts(SharedContext context, Call call) {
    Query query(call.request,
                {"state", "endpoint", "rule", "group", "since", "until", "format", "cursor", "limit"});
    auto filter = delivery_filter(query);
    const bool csv = query.wants_csv();
    if (query.fault()) co_return problem_reply(*query.fault());
    if (csv) {
        const auto list = [context](storage::DeliveryFilter part) {
            return context->services.deliveries.list_deliveries(std::move(part));
        };
        auto writing = csv_list<storage::DeliveryRow, storage::DeliveryFilter>(
            context, "alerts", std::move(filter), list, delivery_text, storage::delivery_cursor);
        co_return co_await std::move(writing);
    }
    const auto limit = filter.limit++;  // one more tells whether there are more
    auto listing = context->services.deliveries.list_deliveries(std::move(filter));
    co_return co_await page_reply(context->calls, context->services.cpu, "alerts", std::move(listing), limit,
                                  delivery_text, storage::delivery_cursor);
}

base::Task<net::ServerReply> one_alert(SharedContext context, Call call) {
    const Query query(call.request, {});
    if (query.fault()) co_return problem_reply(*query.fault());
    const auto& id = call.captured[0];
    std::optional<storage::StoredAlert> found;
    if (is_printable(id)) {
        auto asking = context->services.deliveries.alert(id);
        found = co_await context->calls.wait_for(std::move(asking));
    }
    if (found) co_return json_reply(200, to_text(alert_json(*found)));
    Problem problem;
    problem.status = 404;
    problem.detail = "there is no alert " + shown(id) + ": it was never made, or retention has deleted it";
    co_return problem_reply(problem);
}

struct Resend {
    storage::DeliveryFilter chosen;
    bool dry_run = false;
};

std::optional<Problem> read_choice(const json& body, storage::DeliveryFilter& filter) {
    for (const auto& [name, place] :
         {std::pair{"alert_id", &filter.alert_id}, std::pair{"endpoint", &filter.endpoint},
          std::pair{"rule", &filter.rule}, std::pair{"state", &filter.state},
          std::pair{"since", &filter.since}, std::pair{"until", &filter.until}}) {
        auto value = text_member(body, "", name);
        if (!value) return value.error();
        *place = std::move(*value);
    }
    if (filter.alert_id.empty() && filter.rule.empty() && filter.since.empty() && filter.state != "dead")
        return bad_body("/alert_id",
                        "alert_id is missing; without it only those of a rule, those made since a time, or "
                        "those of \"state\": \"dead\" are sent anew");
    if (!filter.state.empty() && !storage::is_delivery_state(filter.state))
        return bad_body("/state", "state " + kStateFault);
    for (const auto& [name, time] : {std::pair{"since", &filter.since}, std::pair{"until", &filter.until}})
        if (!time->empty() && !is_time(*time))
            return bad_body(std::string("/") + name, "must be a time such as 2026-01-31T12:00:00Z");
    return std::nullopt;
}

base::Result<Resend, Problem> read_resend(const json& body) {
    if (!body.is_object())
        return bad_body("",
                        "must be an object {alert_id?, endpoint?, rule?, state?, since?, until?, dry_run?}");
    if (auto fault =
            unknown_member(body, "", {"alert_id", "endpoint", "rule", "state", "since", "until", "dry_run"}))
        return *fault;
    Resend resend;
    if (auto fault = read_choice(body, resend.chosen)) return *fault;
    const auto dry_run = body.find("dry_run");
    if (dry_run != body.end() && !dry_run->is_boolean())
        return bad_body("/dry_run", "dry_run must be true or false");
    resend.dry_run = dry_run != body.end() && dry_run->get<bool>();
    resend.chosen.limit = 0;
    return resend;
}

base::Task<net::ServerReply> resend(SharedContext context, Call call) {
    const auto body = co_await parse_body(context->services.cpu, std::move(call.request.body));
    if (!body) co_return problem_reply(body.error());
    auto asked = read_resend(*body);
    if (!asked) co_return problem_reply(asked.error());
    auto& deliveries = context->services.deliveries;
    auto counting = asked->dry_run ? deliveries.count_deliveries(std::move(asked->chosen))
                                   : deliveries.resend(std::move(asked->chosen));
    const auto count = co_await context->calls.wait_for(std::move(counting));
    json answer;
    answer["due"] = count;
    answer["dry_run"] = asked->dry_run;
    co_return json_reply(200, to_text(answer));
}

}  // namespace

std::vector<Route> alert_routes(const SharedContext& context) {
    return {{"GET", "/v1/alerts", Access::read, bound(context, list_alerts)},
            {"GET", "/v1/alerts/{alert_id}", Access::read, bound(context, one_alert)},
            {"POST", "/v1/alerts/resend", Access::write, bound(context, resend)}};
}

}  // namespace receiptd::api
