// /v1/transactions
#include "api/body.hpp"
#include "api/query.hpp"
#include "api/services.hpp"
#include "base/offload.hpp"
#include "watch/transaction_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace receiptd::api {

namespace {

using nlohmann::json;

constexpr std::size_t kLongestIdempotencyKey = 255;
constexpr unsigned kMostFindings = 1'000;

base::Result<watch::SubmitRequest, Problem> submission_from(const json& body) {
    if (!body.is_object()) return bad_body("", "must be an object {signed_tx_base64, idempotency_key?}");
    if (auto fault = unknown_member(body, "", {"signed_tx_base64", "idempotency_key"})) return *fault;
    const auto bytes = text_member(body, "", "signed_tx_base64");
    if (!bytes) return bytes.error();
    const auto key = text_member(body, "", "idempotency_key");
    if (!key) return key.error();
    if (bytes->empty())
        return bad_body("/signed_tx_base64",
                        "signed_tx_base64 is missing: a signed transaction in Borsh, as base64");
    if (key->size() > kLongestIdempotencyKey || (key->empty() && body.contains("idempotency_key")))
        return bad_body("/idempotency_key", "idempotency_key must have 1 to " +
                                                std::to_string(kLongestIdempotencyKey) + " bytes");
    watch::SubmitRequest request;
    request.base64 = *bytes;
    request.idempotency_key = *key;
    return request;
}

Problem problem_of(const watch::SubmitError& error) {
    using Kind = watch::SubmitError::Kind;
    Problem problem;
    problem.detail = error.detail;
    switch (error.kind) {
        case Kind::malformed:
            problem.status = 400;
            problem.pointer = error.where == "idempotency_key" ? "/idempotency_key" : "/signed_tx_base64";
            break;
        case Kind::conflict:
            problem.status = 409;
            problem.pointer = "/idempotency_key";
            break;
        case Kind::refused:
            problem.status = 422;
            problem.pointer = "/signed_tx_base64";
            break;
        case Kind::unavailable:
            problem.status = 503;
            problem.headers.push_back({"Retry-After", "5"});
            break;
    }
    return problem;
}

net::ServerReply refused(const watch::SubmitError& error) {
    json more = json::object();
    const auto add = [&](const char* name, const std::string& text) {
        if (!text.empty()) more[name] = text;
    };
    add("error_class", error.error_class);
    add("where", error.where);
    add("remedy", error.remedy);
    if (!error.error_json.empty()) {
        auto parsed = json::parse(error.error_json, nullptr, false);
        more["error"] = parsed.is_discarded() ? json(error.error_json) : std::move(parsed);
    }
    return problem_reply(problem_of(error), more);
}

base::Task<net::ServerReply> submit(SharedContext context, Call call) {
    const auto body = co_await parse_body(context->services.cpu, std::move(call.request.body));
    if (!body) co_return problem_reply(body.error());
    auto request = submission_from(*body);
    if (!request) co_return problem_reply(request.error());
    auto submitting = context->submissions.start(context->services.submissions.submit(std::move(*request)));
    const auto result = co_await context->submissions.wait_for(
        std::move(submitting), context->options.submission_patience,
        "it takes too long, and whether it was sent is not known yet; the same bytes may be handed in again: "
        "they are one submission");
    if (!result) co_return refused(result.error());
    auto reply = json_reply(result->existing ? 200 : 202, watch::submitted_json(*result));
    reply.headers.push_back({"Location", "/v1/transactions/" + result->tx_hash});
    co_return reply;
}

struct Stored {
    std::string tx_hash;
    std::optional<storage::Watch> watch;
    std::vector<storage::StoredTransition> transitions;
    storage::StoredTree tree;
    std::vector<chain::Finding> findings;
};

// A tree may have thousands of receipts: they are judged and written beside the loop.
base::Task<watch::TransactionView> judge(base::asio::thread_pool& cpu, Stored stored) {
    return base::offload(cpu, [stored = std::move(stored)]() mutable {
        return watch::transaction_view(stored.tx_hash, stored.watch ? stored.watch->sender_id : std::string(),
                                       std::move(stored.watch), std::move(stored.transitions), stored.tree,
                                       std::move(stored.findings));
    });
}

base::Task<std::string> to_json(base::asio::thread_pool& cpu, watch::TransactionView view) {
    return base::offload(cpu, [view = std::move(view)] {
        return view.known() ? watch::transaction_json(view) : std::string();
    });
}

base::Task<watch::TransactionView> with_what_is_pending(SharedContext context, watch::TransactionView view) {
    const auto& services = context->services;
    if (!watch::is_open(view) || view.sender_id.empty() || !services.open_tree) co_return view;
    std::optional<watch::OpenTree> open;
    try {
        auto asking = context->submissions.start(services.open_tree(view.tx_hash, view.sender_id));
        open = co_await context->submissions.wait_for(std::move(asking), context->options.open_tree_patience,
                                                      "the hosts do not answer");
    } catch (const NoAnswer&) {
        co_return view;
    }
    if (open) watch::add_open_tree(view, std::move(*open));
    co_return view;
}

base::Task<Stored> load(SharedContext context, std::string tx_hash) {
    auto& calls = context->calls;
    auto& services = context->services;
    std::vector<std::string> hashes = {tx_hash};
    storage::FindingFilter filter;
    filter.tx_hash = tx_hash;
    filter.limit = kMostFindings;
    // All at once: who asks waits for the slowest, not for the sum.
    auto watch = calls.start(services.watches.watch(tx_hash));
    auto transitions = calls.start(services.watches.transitions(tx_hash));
    auto trees = calls.start(services.watches.stored_trees(std::move(hashes)));
    auto findings = calls.start(services.findings.list_findings(std::move(filter)));
    Stored stored;
    stored.tx_hash = tx_hash;
    stored.watch = co_await calls.wait_for(std::move(watch));
    stored.transitions = co_await calls.wait_for(std::move(transitions));
    auto found = co_await calls.wait_for(std::move(trees));
    if (found.contains(tx_hash)) stored.tree = std::move(found.at(tx_hash));
    stored.findings = co_await calls.wait_for(std::move(findings));
    // Lists have the newest first, a transaction is told as it happened.
    std::reverse(stored.findings.begin(), stored.findings.end());
    co_return stored;
}

base::Task<net::ServerReply> get_transaction(SharedContext context, Call call) {
    if (!storage::is_transaction_hash(call.captured)) co_return problem_reply(no_hash(call.captured));
    const Query query(call.request, {});
    if (query.fault()) co_return problem_reply(*query.fault());
    auto stored = co_await load(context, call.captured);
    auto view = co_await judge(context->services.cpu, std::move(stored));
    view = co_await with_what_is_pending(context, std::move(view));
    const auto text = co_await to_json(context->services.cpu, std::move(view));
    if (!text.empty()) co_return json_reply(200, text);
    Problem problem;
    problem.status = 404;
    problem.detail = "transaction " + call.captured +
                     " is neither stored nor watched; POST /v1/watches follows it from now on";
    co_return problem_reply(problem);
}

}  // namespace

std::vector<Route> transaction_routes(const SharedContext& context) {
    return {{"POST", "/v1/transactions", Access::write, bound(context, submit)},
            {"GET", "/v1/transactions/{hash}", Access::read, bound(context, get_transaction)}};
}

}  // namespace receiptd::api
