// /v1/transactions
#include "api/body.hpp"
#include "api/lookup.hpp"
#include "api/query.hpp"
#include "base/exact_json.hpp"
#include "base/offload.hpp"
#include "chain/wire/base64.hpp"
#include "chain/wire/hash.hpp"
#include "draw/style.hpp"
#include "draw/svg.hpp"
#include "watch/transaction_json.hpp"
#include "watch/transaction_trace.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::api {

namespace {

using nlohmann::json;

constexpr std::size_t kLongestIdempotencyKey = 255;

base::Result<watch::SubmitRequest, Problem> submission_from(const json& body) {
    if (!body.is_object())
        return bad_body("", "must be an object {signed_tx_base64, idempotency_key?, metadata?}");
    if (auto fault = unknown_member(body, "", {"signed_tx_base64", "idempotency_key", "metadata"}))
        return *fault;
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
    auto metadata = metadata_member(body, "");
    if (!metadata) return metadata.error();
    watch::SubmitRequest request;
    request.base64 = *bytes;
    request.idempotency_key = *key;
    request.metadata_json = std::move(*metadata);
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
            problem.pointer = error.where == "metadata" ? "/metadata" : "/idempotency_key";
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
    return problem_reply(problem_of(error), json(base::read_json(watch::submit_error_json(error))));
}

base::Task<net::ServerReply> submit(SharedContext context, Call call) {
    const auto body = co_await parse_body(context->services.cpu, std::move(call.request.body));
    if (!body) co_return problem_reply(body.error());
    auto request = submission_from(*body);
    if (!request) co_return problem_reply(request.error());
    request->traceparent = traceparent_of(call.request);
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

base::Task<std::string> to_json(base::asio::thread_pool& cpu, watch::TransactionView view) {
    return base::offload(cpu, [view = std::move(view)] { return watch::transaction_json(view); });
}

base::Task<std::string> to_svg(base::asio::thread_pool& cpu, watch::TransactionView view) {
    return base::offload(cpu, [view = std::move(view)] {
        static const chain::Judgement kNothing;
        return draw::tree_svg(view.tx_hash, view.transaction, view.tree ? *view.tree : kNothing);
    });
}

base::Task<std::string> to_trace(base::asio::thread_pool& cpu, watch::TransactionView view,
                                 std::string network) {
    return base::offload(cpu, [view = std::move(view), network = std::move(network)] {
        return watch::transaction_trace_json(view, network);
    });
}

base::Result<Sought, Problem> sought(const Context& context, const Call& call, Query& query) {
    Sought sought;
    sought.id = call.captured[0];
    sought.sender_id = query.account("sender");
    sought.may_ask_hosts = may_ask_hosts(context.services, call.request);
    if (query.fault()) return *query.fault();
    if (!storage::is_transaction_hash(sought.id)) return no_hash(sought.id);
    return sought;
}

// What the path and the parameter `sender` name.
base::Task<base::Result<watch::TransactionView, Problem>> find_wanted(SharedContext context, const Call& call,
                                                                      Query& query) {
    auto wanted = sought(*context, call, query);
    if (!wanted) co_return wanted.error();
    auto found = find_transaction(context, std::move(*wanted));
    co_return co_await std::move(found);
}

base::Task<net::ServerReply> get_transaction(SharedContext context, Call call) {
    Query query(call.request, {"sender"});
    auto found = co_await find_wanted(context, call, query);
    if (!found) co_return problem_reply(found.error());
    auto text = co_await to_json(context->services.cpu, std::move(*found));
    co_return json_reply(200, std::move(text));
}

void name_file(net::ServerReply& reply, const std::string& name) {
    reply.headers.push_back({"Content-Disposition", "attachment; filename=\"" + name + "\""});
}

// Nothing but its own style applies to it, nothing runs, nothing is fetched.
const std::string& picture_policy() {
    static const std::string policy = [] {
        const auto hash = chain::sha256(chain::bytes_of(draw::style()));
        return "default-src 'none'; style-src 'sha256-" + chain::base64_encode(hash.view()) +
               "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";
    }();
    return policy;
}

base::Task<net::ServerReply> get_picture(SharedContext context, Call call) {
    Query query(call.request, {"sender", "download"});
    const bool download = query.flag("download").value_or(false);
    auto found = co_await find_wanted(context, call, query);
    if (!found) co_return problem_reply(found.error());
    const auto name = found->tx_hash;
    auto svg = co_await to_svg(context->services.cpu, std::move(*found));
    auto reply = text_reply(200, "image/svg+xml", std::move(svg));
    reply.headers.push_back({"Content-Security-Policy", picture_policy()});
    reply.headers.push_back({"Referrer-Policy", "no-referrer"});
    if (download) name_file(reply, name + ".svg");
    co_return reply;
}

base::Task<net::ServerReply> get_trace(SharedContext context, Call call) {
    Query query(call.request, {"sender", "download"});
    const bool download = query.flag("download").value_or(false);
    auto found = co_await find_wanted(context, call, query);
    if (!found) co_return problem_reply(found.error());
    const auto name = found->tx_hash;
    auto network = context->services.status().network;
    auto text = co_await to_trace(context->services.cpu, std::move(*found), std::move(network));
    auto reply = json_reply(200, std::move(text));
    if (download) name_file(reply, name + ".otlp.json");
    co_return reply;
}

}  // namespace

std::vector<Route> transaction_routes(const SharedContext& context) {
    return {{"POST", "/v1/transactions", Access::write, bound(context, submit)},
            {"GET", "/v1/transactions/{hash}", Access::read, bound(context, get_transaction)},
            {"GET", "/v1/transactions/{hash}/tree.svg", Access::read, bound(context, get_picture)},
            {"GET", "/v1/transactions/{hash}/trace.json", Access::read, bound(context, get_trace)}};
}

}  // namespace receiptd::api
