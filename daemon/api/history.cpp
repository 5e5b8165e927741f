// GET /v1/transactions, /v1/gaps and /v1/backfills
#include "api/csv.hpp"
#include "api/history_json.hpp"
#include "api/list_reply.hpp"
#include "base/coroutine.hpp"

#include <limits>

namespace receiptd::api {

namespace {

using storage::AccountRole;
using storage::ListedTransaction;

constexpr unsigned kMostTransactions = 100;

storage::TransactionFilter transaction_filter(Query& query) {
    storage::TransactionFilter filter;
    filter.account_id = query.account("account_id");
    if (const auto role = query.text("role"); !role.empty()) {
        const auto parsed = storage::parse_account_role(role);
        if (!parsed) query.refuse("role", "must be user, signer or receiver");
        filter.role = parsed.value_or(AccountRole::user);
    }
    filter.method_name = query.text("method");
    if (const auto verdict = query.text("verdict"); !verdict.empty()) {
        filter.verdict = chain::parse_verdict(verdict);
        if (!filter.verdict) query.refuse("verdict", "must be a verdict, such as callback_failed");
    }
    filter.near_status = query.text("near_status");
    if (!filter.near_status.empty() && filter.near_status != "success" && filter.near_status != "failure")
        query.refuse("near_status", "must be success or failure");
    filter.error_class = query.text("error_class");
    filter.since = query.time("since");
    filter.until = query.time("until");
    filter.cursor = query.time_cursor(storage::is_transaction_cursor);
    filter.limit = query.limit(kMostTransactions);
    return filter;
}

std::optional<Problem> missing_filter(const storage::TransactionFilter& filter, const Query& query) {
    if (!query.text("role").empty() && filter.account_id.empty())
        return missing("account_id", "is missing: role tells what this account is to a transaction");
    if (filter.has_index()) return std::nullopt;
    return no_short_time(
        filter.since, filter.until,
        "account_id is missing: without an account, or a verdict other than succeeded, since and "
        "until are needed, a day apart at most");
}

base::Task<ListPart<ListedTransaction>> transactions_behind(SharedContext context,
                                                            storage::TransactionFilter filter) {
    auto listing = context->services.history.list_transactions(std::move(filter));
    auto page = co_await std::move(listing);
    co_return ListPart<ListedTransaction>{std::move(page.transactions), std::move(page.next_cursor)};
}

base::Task<net::ServerReply> list_transactions(SharedContext context, Call call) {
    Query query(call.request, {"account_id", "role", "method", "verdict", "near_status", "error_class",
                               "since", "until", "format", "cursor", "limit"});
    const auto filter = transaction_filter(query);
    const bool csv = query.wants_csv();
    if (query.fault()) co_return problem_reply(*query.fault());
    if (const auto lacking = missing_filter(filter, query)) co_return problem_reply(*lacking);
    ReadPart<ListedTransaction> read = [context, filter](std::string cursor, unsigned limit) {
        auto part = filter;
        part.cursor = std::move(cursor);
        part.limit = limit;
        return transactions_behind(context, std::move(part));
    };
    if (csv)
        co_return co_await csv_reply(context, "transactions", std::move(read), listed_transaction_json,
                                     filter.cursor);
    auto& calls = context->calls;
    auto telling = calls.start(
        context->services.history.known_heights(filter.account_id, storage::ListedTable::transactions));
    auto listing = calls.start(read(filter.cursor, filter.limit));
    const auto known = co_await calls.wait_for(std::move(telling));
    auto part = co_await calls.wait_for(std::move(listing));
    std::optional<std::string> next;
    if (!part.next_cursor.empty()) next = std::move(part.next_cursor);
    co_return co_await list_reply(context->services.cpu, "transactions", std::move(part.rows),
                                  listed_transaction_json, std::move(next),
                                  known_heights_json(filter.account_id, known));
}

// A list whose cursor is a number.
template <class Row>
base::Task<net::ServerReply> list_by_number(
    SharedContext context, Call call, std::string_view name, std::int64_t start,
    base::Task<std::vector<Row>> (storage::HistoryStore::*rows)(std::int64_t, unsigned),
    std::string (*to_json)(const Row&), std::string (*cursor_after)(const Row&)) {
    Query query(call.request, {"format", "cursor", "limit"});
    const auto place = query.number("cursor");
    const auto limit = query.limit();
    const bool csv = query.wants_csv();
    if (query.fault()) co_return problem_reply(*query.fault());
    ReadPart<Row> read = [context, rows, cursor_after, start](const std::string& cursor, unsigned most) {
        auto reading = (context->services.history.*rows)(parse_number(cursor).value_or(start), most + 1);
        return part_of(std::move(reading), most, cursor_after);
    };
    if (csv) co_return co_await csv_reply(context, name, std::move(read), to_json, query.text("cursor"));
    auto listing = (context->services.history.*rows)(place.value_or(start), limit + 1);
    co_return co_await page_reply(context->calls, context->services.cpu, name, std::move(listing), limit,
                                  to_json, cursor_after);
}

base::Task<net::ServerReply> list_gaps(SharedContext context, Call call) {
    return list_by_number(std::move(context), std::move(call), "gaps", -1, &storage::HistoryStore::list_gaps,
                          gap_json, storage::gap_cursor);
}

base::Task<net::ServerReply> list_backfills(SharedContext context, Call call) {
    return list_by_number(std::move(context), std::move(call), "backfills",
                          std::numeric_limits<std::int64_t>::max(), &storage::HistoryStore::list_backfills,
                          backfill_json, storage::backfill_cursor);
}

}  // namespace

std::vector<Route> history_routes(const SharedContext& context) {
    return {{"GET", "/v1/transactions", Access::read, bound(context, list_transactions)},
            {"GET", "/v1/gaps", Access::read, bound(context, list_gaps)},
            {"GET", "/v1/backfills", Access::read, bound(context, list_backfills)}};
}

}  // namespace receiptd::api
