// /v1/findings
#include "api/list_reply.hpp"
#include "api/query.hpp"
#include "api/services.hpp"
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
    filter.kind = query.text("kind");
    if (!filter.kind.empty() && !is_kind(filter.kind))
        query.refuse("kind", "must be a kind of finding, such as failed_receipt or dropped");
    filter.handled = query.flag("handled");
    filter.since = query.time("since");
    filter.cursor = query.text("cursor");
    if (!filter.cursor.empty()) {
        const auto cursor = storage::parse_finding_cursor(filter.cursor);
        if (!cursor || !is_time(cursor->block_time))
            query.refuse("cursor", "must be the next_cursor of an answer");
    }
    filter.limit = query.limit();
    return filter;
}

base::Task<net::ServerReply> list_findings(SharedContext context, Call call) {
    Query query(call.request, {"tx_hash", "contract_id", "kind", "handled", "since", "cursor", "limit"});
    auto filter = finding_filter(query);
    if (query.fault()) co_return problem_reply(*query.fault());
    const auto limit = filter.limit++;  // one more tells whether there are more
    auto listing = context->services.findings.list_findings(std::move(filter));
    co_return co_await page_reply(context->calls, context->services.cpu, "findings", std::move(listing),
                                  limit, watch::finding_json, storage::cursor_after);
}

}  // namespace

std::vector<Route> finding_routes(const SharedContext& context) {
    return {{"GET", "/v1/findings", Access::read, bound(context, list_findings)}};
}

}  // namespace receiptd::api
