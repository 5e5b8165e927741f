// /v1/rules/check and /v1/rules/test: rules before they go live.
#include "api/body.hpp"
#include "api/query.hpp"
#include "api/rehearsal_json.hpp"
#include "api/services.hpp"
#include "base/coroutine.hpp"
#include "base/offload.hpp"

#include <nlohmann/json.hpp>

#include <limits>

namespace receiptd::api {

namespace {

using nlohmann::json;

constexpr std::size_t kLongestDraft = 256 << 10;
constexpr base::Height kMostHeights = 100'000;

json fault_json(const DraftFault& fault) {
    const auto place = [](unsigned number) { return number == 0 ? json() : json(number); };
    return {{"severity", fault.is_warning ? "warning" : "error"},
            {"line", place(fault.line)},
            {"column", place(fault.column)},
            {"message", fault.message}};
}

std::string check_text(const CheckedDraft& checked) {
    auto faults = json::array();
    for (const auto& fault : checked.faults) faults.push_back(fault_json(fault));
    return to_text(json{{"ok", checked.is_good}, {"rules", checked.rules}, {"faults", std::move(faults)}});
}

base::Task<std::string> check(SharedContext context, std::string toml) {
    return base::offload(
        context->shared->drafts,
        [check = context->services.check_rules, toml = std::move(toml)] { return check_text(check(toml)); });
}

base::Task<net::ServerReply> check_rules(SharedContext context, Call call) {
    const Query query(call.request, {});
    if (query.fault()) co_return problem_reply(*query.fault());
    if (call.request.body.size() > kLongestDraft) {
        Problem problem;
        problem.status = 413;
        problem.detail = "the body is longer than 256 KiB: `receiptd rules check FILE` takes more";
        co_return problem_reply(problem);
    }
    auto checking = context->checks.start(check(context, std::move(call.request.body)));
    auto text = co_await context->checks.wait_for(std::move(checking), context->options.trial_patience,
                                                  "the check takes too long: send fewer rules");
    co_return json_reply(200, std::move(text));
}

struct Rehearse {
    base::HeightRange heights;
    std::string rule;
};

base::Result<base::Height, Problem> height_member(const json& body, const char* name) {
    const auto found = body.find(name);
    if (found == body.end() || !found->is_number_unsigned() ||
        found->get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return bad_body(std::string("/") + name, std::string(name) + " must be a height");
    return {boost::system::in_place_value, found->get<base::Height>()};
}

base::Result<Rehearse, Problem> read_rehearse(const json& body) {
    if (!body.is_object()) return bad_body("", "must be an object {from, to, rule?}");
    if (auto fault = unknown_member(body, "", {"from", "to", "rule"})) return *fault;
    const auto from = height_member(body, "from");
    if (!from) return from.error();
    const auto to = height_member(body, "to");
    if (!to) return to.error();
    if (*from > *to) return bad_body("/from", "from must not be above to");
    if (*to - *from >= kMostHeights)
        return bad_body("/to", "these are more than 100000 heights: `receiptd rules test` takes more");
    auto rule = text_member(body, "", "rule");
    if (!rule) return rule.error();
    return Rehearse{{*from, *to}, std::move(*rule)};
}

net::ServerReply no_rule(const std::string& name) {
    Problem problem;
    problem.status = 404;
    problem.detail = "the configuration of this daemon has no rule " + shown(name);
    return problem_reply(problem);
}

net::ServerReply too_large(const std::string& why) {
    Problem problem;
    problem.status = 422;
    problem.detail = why;
    return problem_reply(problem);
}

base::Task<std::string> rehearsal_text(SharedContext context, storage::Rehearsed rehearsed) {
    return base::offload(context->services.cpu,
                         [rehearsed = std::move(rehearsed)] { return to_text(rehearsal_json(rehearsed)); });
}

base::Task<net::ServerReply> test_rules(SharedContext context, Call call) {
    const auto body = co_await parse_body(context->services.cpu, std::move(call.request.body));
    if (!body) co_return problem_reply(body.error());
    auto asked = read_rehearse(*body);
    if (!asked) co_return problem_reply(asked.error());
    if (context->rehearsals.running() > 0)
        throw NoAnswer("another test of rules is under way, and there is one at a time");
    try {
        auto rehearsing =
            context->rehearsals.start(context->services.rehearse_rules(asked->rule, asked->heights));
        auto rehearsed = co_await context->rehearsals.wait_for(
            std::move(rehearsing), context->options.trial_patience, "the database does not answer");
        if (!rehearsed) co_return no_rule(asked->rule);
        auto text = co_await rehearsal_text(context, std::move(*rehearsed));
        co_return json_reply(200, std::move(text));
    } catch (const storage::RehearsalTooLarge& error) {
        co_return too_large(error.what());
    }
}

}  // namespace

std::vector<Route> rule_trial_routes(const SharedContext& context) {
    return {{"POST", "/v1/rules/check", Access::write, bound(context, check_rules), Body::toml},
            {"POST", "/v1/rules/test", Access::write, bound(context, test_rules)}};
}

}  // namespace receiptd::api
