// /v1/search
#include "api/lookup.hpp"
#include "api/query.hpp"
#include "api/services.hpp"
#include "base/coroutine.hpp"
#include "base/exact_json.hpp"
#include "watch/json_values.hpp"

namespace receiptd::api {

namespace {

using watch::Json;
using watch::text_or_null;

Problem no_reference() {
    Problem problem;
    problem.parameter = "q";
    problem.detail =
        "q must be the hash of a transaction, the id of a receipt, an explorer's address of one, or the "
        "idempotency key of a submission";
    return problem;
}

// An id that is not stored may be either: hashes do not tell.
Json found_json(const watch::Reference& reference, const std::optional<std::string>& tree_id, bool watched) {
    const bool stored = tree_id.has_value();
    const bool receipt = stored && *tree_id != reference.id;
    Json found;
    found["kind"] = receipt ? "receipt" : stored || watched ? "transaction" : "unknown";
    found["tx_hash"] = receipt ? *tree_id : reference.id;
    found["receipt_id"] = receipt ? Json(reference.id) : Json();
    found["sender_id"] = text_or_null(reference.sender_id);
    found["stored"] = stored;
    found["watched"] = watched;
    return found;
}

base::Task<net::ServerReply> search(SharedContext context, Call call) {
    const Query query(call.request, {"q"});
    if (query.fault()) co_return problem_reply(*query.fault());
    const auto reference = co_await find_reference(context, query.text("q"));
    if (!reference) co_return problem_reply(no_reference());
    auto& calls = context->calls;
    auto tree = calls.start(context->services.watches.tree_of(reference->id));
    auto watch = calls.start(context->services.watches.watch(reference->id));
    const auto tree_id = co_await calls.wait_for(std::move(tree));
    const auto watched = co_await calls.wait_for(std::move(watch));
    co_return json_reply(200, base::write_json(found_json(*reference, tree_id, watched.has_value())));
}

}  // namespace

std::vector<Route> search_routes(const SharedContext& context) {
    return {{"GET", "/v1/search", Access::read, bound(context, search)}};
}

}  // namespace receiptd::api
