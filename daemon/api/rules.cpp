// /v1/rules, /v1/lists: which alerts go where, and the accounts that rules name by list.
#include "api/list_reply.hpp"
#include "api/query.hpp"
#include "api/rule_json.hpp"
#include "api/services.hpp"
#include "base/coroutine.hpp"
#include "base/id_faults.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::api {

namespace {

std::string rule_text(const storage::RuleRow& row) { return to_text(rule_json(row)); }

std::string list_text(const storage::ListRow& row) { return to_text(account_list_json(row)); }

std::string account_text(const std::string& account_id) { return nlohmann::json(account_id).dump(); }

std::optional<Problem> refused(storage::Listing listing, const std::string& list) {
    Problem problem;
    problem.detail = storage::refusal(listing, list);
    if (problem.detail.empty()) return std::nullopt;
    problem.status = listing == storage::Listing::no_such_list ? 404 : 409;
    return problem;
}

base::Task<net::ServerReply> list_rules(SharedContext context, Call call) {
    const Query query(call.request, {});
    if (query.fault()) co_return problem_reply(*query.fault());
    auto reading = context->services.alert_rules.rules();
    auto found = co_await context->calls.wait_for(std::move(reading));
    co_return co_await list_reply(context->services.cpu, "rules", std::move(found), rule_text, std::nullopt);
}

base::Task<net::ServerReply> list_lists(SharedContext context, Call call) {
    const Query query(call.request, {});
    if (query.fault()) co_return problem_reply(*query.fault());
    auto reading = context->services.alert_rules.lists();
    auto found = co_await context->calls.wait_for(std::move(reading));
    co_return co_await list_reply(context->services.cpu, "lists", std::move(found), list_text, std::nullopt);
}

base::Task<net::ServerReply> list_accounts(SharedContext context, Call call) {
    Query query(call.request, {"cursor", "limit"});
    const auto limit = query.limit();
    if (query.fault()) co_return problem_reply(*query.fault());
    auto reading = context->services.alert_rules.accounts(call.captured[0], query.text("cursor"), limit + 1);
    auto found = co_await context->calls.wait_for(std::move(reading));
    if (!found) co_return problem_reply(*refused(storage::Listing::no_such_list, call.captured[0]));
    std::optional<std::string> next;
    if (found->size() > limit) {
        found->resize(limit);
        next = found->back();
    }
    co_return co_await list_reply(context->services.cpu, "accounts", std::move(*found), account_text,
                                  std::move(next));
}

base::Task<net::ServerReply> set_listed(SharedContext context, Call call, bool is_listed) {
    const Query query(call.request, {});
    if (query.fault()) co_return problem_reply(*query.fault());
    const auto& list = call.captured[0];
    const auto& account_id = call.captured[1];
    if (const auto fault = base::account_fault(account_id)) {
        Problem problem;
        problem.detail = "\"" + account_id + "\" " + *fault;
        co_return problem_reply(problem);
    }
    auto setting = context->services.alert_rules.set_listed(list, account_id, is_listed);
    const auto done = co_await context->calls.wait_for(std::move(setting));
    if (const auto problem = refused(done, list)) co_return problem_reply(*problem);
    net::ServerReply reply;
    reply.status = 204;
    co_return reply;
}

base::Task<net::ServerReply> add_account(SharedContext context, Call call) {
    return set_listed(std::move(context), std::move(call), true);
}

base::Task<net::ServerReply> remove_account(SharedContext context, Call call) {
    return set_listed(std::move(context), std::move(call), false);
}

}  // namespace

std::vector<Route> rule_routes(const SharedContext& context) {
    return {{"GET", "/v1/rules", Access::read, bound(context, list_rules)},
            {"GET", "/v1/lists", Access::read, bound(context, list_lists)},
            {"GET", "/v1/lists/{list}", Access::read, bound(context, list_accounts)},
            {"PUT", "/v1/lists/{list}/{account}", Access::write, bound(context, add_account)},
            {"DELETE", "/v1/lists/{list}/{account}", Access::write, bound(context, remove_account)}};
}

}  // namespace receiptd::api
