// /v1/findings
#include "api/csv.hpp"
#include "api/history_json.hpp"
#include "api/list_reply.hpp"
#include "base/coroutine.hpp"
#include "watch/transaction_json.hpp"

#include <algorithm>

namespace receiptd::api {

namespace {

bool is_kind(const std::string& text) {
    return std::find(chain::kind::kAll.begin(), chain::kind::kAll.end(), text) != chain::kind::kAll.end();
}

storage::FindingFilter finding_filter(Query& query) {
    storage::FindingFilter filter;
    filter.tx_hash = query.hash("tx_hash");
    filter.contract_id = query.account("contract_id");
    filter.signer_id = query.account("signer_id");
    filter.user_id = query.account("user_id");
    filter.kind = query.text("kind");
    if (!filter.kind.empty() && !is_kind(filter.kind))
        query.refuse("kind", "must be a kind of finding, such as failed_receipt or dropped");
    filter.method_name = query.text("method");
    filter.error_class = query.text("error_class");
    filter.role = query.text("role");
    if (!filter.role.empty() && !chain::parse_role(filter.role))
        query.refuse("role", "must be the role of a receipt, such as callback");
    filter.effect = query.text("effect");
    if (!filter.effect.empty() && !chain::parse_effect(filter.effect))
        query.refuse("effect", "must be an effect, such as refunded");
    filter.handled = query.flag("handled");
    filter.since = query.time("since");
    filter.until = query.time("until");
    filter.cursor = query.time_cursor(
        [](const std::string& cursor) { return storage::parse_finding_cursor(cursor).has_value(); });
    filter.limit = query.limit();
    return filter;
}

// Findings are found by transaction, account, contract or kind.
std::optional<Problem> missing_filter_of(const storage::FindingFilter& filter) {
    const bool has_index = !filter.tx_hash.empty() || !filter.contract_id.empty() ||
                           !filter.signer_id.empty() || !filter.user_id.empty();
    const bool is_rare = !filter.method_name.empty() || !filter.error_class.empty() || !filter.role.empty() ||
                         !filter.effect.empty();
    if (has_index || !is_rare) return std::nullopt;
    return no_short_time(
        filter.since, filter.until,
        "contract_id is missing: without a contract, an account or a transaction, these filters "
        "need since and until, a day apart at most");
}

// The account that a list is about; empty: none, or several.
std::string account_of(const storage::FindingFilter& filter) {
    std::string account;
    for (const auto* const each : {&filter.contract_id, &filter.signer_id, &filter.user_id}) {
        if (each->empty()) continue;
        if (!account.empty() && account != *each) return {};
        account = *each;
    }
    return account;
}

base::Task<net::ServerReply> list_findings(SharedContext context, Call call) {
    Query query(call.request,
                {"tx_hash", "contract_id", "signer_id", "user_id", "kind", "method", "error_class", "role",
                 "effect", "handled", "since", "until", "format", "cursor", "limit"});
    auto filter = finding_filter(query);
    const bool csv = query.wants_csv();
    if (query.fault()) co_return problem_reply(*query.fault());
    if (const auto lacking = missing_filter_of(filter)) co_return problem_reply(*lacking);
    if (csv) {
        const auto list = [context](storage::FindingFilter part) {
            return context->services.findings.list_findings(std::move(part));
        };
        auto writing = csv_list<chain::Finding, storage::FindingFilter>(
            context, "findings", std::move(filter), list, watch::finding_json, storage::cursor_after);
        co_return co_await std::move(writing);
    }
    const auto account = account_of(filter);
    auto telling = context->services.history.known_heights(account, storage::ListedTable::findings);
    const auto known = co_await context->calls.wait_for(std::move(telling));
    const auto limit = filter.limit++;  // one more tells whether there are more
    auto listing = context->services.findings.list_findings(std::move(filter));
    co_return co_await page_reply(context->calls, context->services.cpu, "findings", std::move(listing),
                                  limit, watch::finding_json, storage::cursor_after,
                                  known_heights_json(account, known));
}

}  // namespace

std::vector<Route> finding_routes(const SharedContext& context) {
    return {{"GET", "/v1/findings", Access::read, bound(context, list_findings)}};
}

}  // namespace receiptd::api
