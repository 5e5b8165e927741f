// /v1/watches
#include "api/body.hpp"
#include "api/csv.hpp"
#include "api/list_reply.hpp"
#include "api/query.hpp"
#include "api/services.hpp"
#include "base/coroutine.hpp"
#include "chain/wire/account_id.hpp"
#include "watch/metadata.hpp"
#include "watch/transaction_json.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <set>

namespace receiptd::api {

namespace {

using nlohmann::json;

constexpr std::size_t kMostItems = 1'000;

using WatchResult = base::Result<storage::NewWatch, Problem>;

WatchResult watch_from(const json& item, const std::string& at) {
    if (!item.is_object()) return bad_body(at, "must be an object {tx_hash, sender_id, metadata?}");
    if (auto fault = unknown_member(item, at, {"tx_hash", "sender_id", "metadata"})) return *fault;
    const auto hash = text_member(item, at, "tx_hash");
    if (!hash) return hash.error();
    const auto sender = text_member(item, at, "sender_id");
    if (!sender) return sender.error();
    if (!storage::is_transaction_hash(*hash))
        return bad_body(at + "/tx_hash", "tx_hash must be the hash of a transaction: base58 of 32 bytes");
    if (!chain::is_valid_account_id(*sender))
        return bad_body(at + "/sender_id", "sender_id must be the account id of the transaction's signer");
    auto metadata = metadata_member(item, at);
    if (!metadata) return metadata.error();
    storage::NewWatch made;
    made.tx_hash = *hash;
    made.sender_id = *sender;
    made.metadata_json = std::move(*metadata);
    return made;
}

// A watch of a receipt's id would wait for ever.
base::Task<WatchResult> no_receipt(SharedContext context, WatchResult item, std::string at) {
    if (!item) co_return item;
    auto asking = context->services.watches.tree_of(item->tx_hash);
    const auto tree_id = co_await context->calls.wait_for(std::move(asking));
    if (!tree_id || *tree_id == item->tx_hash) co_return item;
    co_return bad_body(at + "/tx_hash", "is the id of a receipt of the transaction " + *tree_id);
}

// The given key and metadata must be the stored ones.
std::optional<Problem> another_watch(const storage::NewWatch& given, const std::string& at,
                                     const storage::Watch& stored) {
    Problem problem;
    if (stored.sender_id != given.sender_id)
        problem = bad_body(at + "/sender_id", "is watched already, with the sender_id " + stored.sender_id);
    else if (!watch::may_have_metadata(stored.metadata_json, given.metadata_json))
        problem = bad_body(at + "/metadata", "is watched already, with other metadata");
    else
        return std::nullopt;
    problem.status = 409;
    return problem;
}

// The result of adding watches: hashes that are new, and all of them as they are stored now.
struct Added {
    std::set<std::string> created;
    std::map<std::string, storage::Watch> stored;
};

base::Task<Added> add(SharedContext context, std::vector<storage::NewWatch> watches) {
    std::vector<std::string> hashes;
    for (const auto& watch : watches) hashes.push_back(watch.tx_hash);
    auto adding = context->services.watches.add_watches(std::move(watches));
    const auto created = co_await context->calls.wait_for(std::move(adding));
    auto reading = context->services.watches.watches(std::move(hashes));
    auto stored = co_await context->calls.wait_for(std::move(reading));
    Added added;
    added.created.insert(created.begin(), created.end());
    for (auto& watch : stored) added.stored.emplace(watch.tx_hash, std::move(watch));
    co_return added;
}

// Removed again by somebody else meanwhile: as it was handed in.
storage::Watch stored_watch(const Added& added, const storage::NewWatch& watch) {
    const auto found = added.stored.find(watch.tx_hash);
    if (found != added.stored.end()) return found->second;
    storage::Watch gone;
    gone.tx_hash = watch.tx_hash;
    gone.sender_id = watch.sender_id;
    gone.metadata_json = watch.metadata_json;
    return gone;
}

base::Task<net::ServerReply> add_one(SharedContext context, json body, std::string traceparent) {
    auto given = watch_from(body, "");
    if (given) given->traceparent = std::move(traceparent);
    const auto watch = co_await no_receipt(context, std::move(given), "");
    if (!watch) co_return problem_reply(watch.error());
    std::vector<storage::NewWatch> watches = {*watch};
    const auto added = co_await add(context, std::move(watches));
    const auto stored = stored_watch(added, *watch);
    if (const auto other = another_watch(*watch, "", stored)) co_return problem_reply(*other);
    const bool created = added.created.contains(watch->tx_hash);
    auto reply = json_reply(created ? 201 : 200, watch::watch_json(stored));
    reply.headers.push_back({"Location", "/v1/watches/" + watch->tx_hash});
    co_return reply;
}

json item_json(const WatchResult& item, Added& added, const std::string& at) {
    if (!item) return {{"status", "refused"}, {"problem", problem_json(item.error())}};
    const auto stored = stored_watch(added, *item);
    json result = {{"tx_hash", item->tx_hash}};
    if (const auto other = another_watch(*item, at, stored)) {
        result["status"] = "refused";
        result["problem"] = problem_json(*other);
        return result;
    }
    // If two items name the same hash, the first one created it.
    result["status"] = added.created.erase(item->tx_hash) > 0 ? "created" : "exists";
    result["stage"] = chain::stage_name(stored.state.stage);
    return result;
}

base::Task<net::ServerReply> add_many(SharedContext context, json body, std::string traceparent) {
    if (body.empty() || body.size() > kMostItems)
        co_return problem_reply(
            bad_body("", "an array must have 1 to " + std::to_string(kMostItems) + " items"));
    std::vector<WatchResult> items;
    std::map<std::string, storage::NewWatch> distinct;
    for (std::size_t i = 0; i < body.size(); ++i) {
        const auto at = "/" + std::to_string(i);
        auto item = watch_from(body[i], at);
        if (item) item->traceparent = traceparent;
        items.push_back(co_await no_receipt(context, std::move(item), at));
        if (items.back()) distinct.emplace(items.back()->tx_hash, *items.back());
    }
    std::vector<storage::NewWatch> watches;
    for (auto& [hash, watch] : distinct) watches.push_back(std::move(watch));
    Added added;
    if (!watches.empty()) added = co_await add(context, std::move(watches));
    json results = json::array();
    std::map<std::string, std::size_t> counts = {{"created", 0}, {"exists", 0}, {"refused", 0}};
    for (std::size_t i = 0; i < items.size(); ++i) {
        results.push_back(item_json(items[i], added, "/" + std::to_string(i)));
        ++counts[results.back()["status"].get<std::string>()];
    }
    json answer = counts;
    answer["results"] = std::move(results);
    co_return json_reply(200, to_text(answer));
}

base::Task<net::ServerReply> post(SharedContext context, Call call) {
    auto body = co_await parse_body(context->services.cpu, std::move(call.request.body));
    if (!body) co_return problem_reply(body.error());
    auto traceparent = traceparent_of(call.request);
    if (body->is_array()) co_return co_await add_many(context, std::move(*body), std::move(traceparent));
    if (body->is_object()) co_return co_await add_one(context, std::move(*body), std::move(traceparent));
    co_return problem_reply(bad_body("", "must be {tx_hash, sender_id, metadata?} or an array of such"));
}

storage::WatchFilter watch_filter(Query& query) {
    storage::WatchFilter filter;
    if (const auto stage = query.text("stage"); !stage.empty()) {
        filter.stage = chain::parse_stage(stage);
        if (!filter.stage) query.refuse("stage", "must be a stage, such as pending or final");
    }
    if (const auto verdict = query.text("verdict"); !verdict.empty()) {
        filter.verdict = chain::parse_verdict(verdict);
        if (!filter.verdict) query.refuse("verdict", "must be a verdict, such as callback_failed");
    }
    filter.tx_hash = query.hash("tx_hash");
    filter.sender_id = query.account("sender_id");
    filter.idempotency_key = query.text("idempotency_key");
    const auto open = query.flag("open");
    if (open && !*open) query.refuse("open", "can only be true; ended ones are found by stage");
    filter.open_only = open.value_or(false);
    filter.cursor = query.text("cursor");
    if (!filter.cursor.empty()) {
        if (!storage::parse_watch_cursor(filter.cursor))
            query.refuse("cursor", "must be the next_cursor of an answer");
    }
    filter.limit = query.limit();
    return filter;
}

base::Task<net::ServerReply> list_watches(SharedContext context, Call call) {
    Query query(call.request, {"tx_hash", "stage", "verdict", "sender_id", "idempotency_key", "open",
                               "format", "cursor", "limit"});
    auto filter = watch_filter(query);
    const bool csv = query.wants_csv();
    if (query.fault()) co_return problem_reply(*query.fault());
    if (csv) {
        const auto list = [context](storage::WatchFilter part) {
            return context->services.watches.list_watches(std::move(part));
        };
        auto writing = csv_list<storage::Watch, storage::WatchFilter>(
            context, "watches", std::move(filter), list, watch::watch_json, storage::watch_cursor);
        co_return co_await std::move(writing);
    }
    const auto limit = filter.limit++;  // one more tells whether there are more
    auto listing = context->services.watches.list_watches(std::move(filter));
    co_return co_await page_reply(context->calls, context->services.cpu, "watches", std::move(listing), limit,
                                  watch::watch_json, storage::watch_cursor);
}

Problem not_watched(const std::string& tx_hash) {
    Problem problem;
    problem.status = 404;
    problem.detail = "transaction " + tx_hash + " is not watched";
    return problem;
}

base::Task<net::ServerReply> get_watch(SharedContext context, Call call) {
    if (!storage::is_transaction_hash(call.captured[0])) co_return problem_reply(no_hash(call.captured[0]));
    const Query query(call.request, {});
    if (query.fault()) co_return problem_reply(*query.fault());
    auto reading = context->services.watches.watch(call.captured[0]);
    const auto watch = co_await context->calls.wait_for(std::move(reading));
    if (!watch) co_return problem_reply(not_watched(call.captured[0]));
    co_return json_reply(200, watch::watch_json(*watch));
}

base::Task<net::ServerReply> remove(SharedContext context, Call call) {
    if (!storage::is_transaction_hash(call.captured[0])) co_return problem_reply(no_hash(call.captured[0]));
    auto removing = context->services.watches.remove_watch(call.captured[0]);
    const bool removed = co_await context->calls.wait_for(std::move(removing));
    if (!removed) co_return problem_reply(not_watched(call.captured[0]));
    net::ServerReply reply;
    reply.status = 204;
    co_return reply;
}

}  // namespace

std::vector<Route> watch_routes(const SharedContext& context) {
    return {{"GET", "/v1/watches", Access::read, bound(context, list_watches)},
            {"POST", "/v1/watches", Access::write, bound(context, post)},
            {"GET", "/v1/watches/{hash}", Access::read, bound(context, get_watch)},
            {"DELETE", "/v1/watches/{hash}", Access::write, bound(context, remove)}};
}

}  // namespace receiptd::api
