#include "sandbox/gateway/gateway.hpp"

#include "base/sleep.hpp"
#include "net/fields.hpp"
#include "sandbox/gateway/json_rpc.hpp"
#include "sandbox/gateway/json_text.hpp"
#include "sandbox/gateway/replies.hpp"
#include "sandbox/gateway/rpc_methods.hpp"
#include "sandbox/gateway/told_answer.hpp"
#include "sandbox/gateway/wrong_answer.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>

namespace receiptd::sandbox {

namespace {

std::int64_t unix_nanosec(base::WallTime time) { return time.time_since_epoch().count(); }

net::ServerReply to_reply(HttpAnswer answer) {
    return reply(answer.status, answer.content_type, std::move(answer.body));
}

net::ServerReply to_reply(const RpcAnswer& answer, const RpcRequest& call) {
    return reply(answer.http_status, "application/json", envelope(answer, call.id_json));
}

bool is_call(const net::ServerRequest& request) { return request.path == "/" && request.method == "POST"; }

// Breaks an answer on its way out, where the trouble is of that kind.
net::ServerReply spoilt(net::ServerReply made, const Trouble& trouble) {
    if (trouble.fault == Fault::malformed) return cut_short(std::move(made));
    if (trouble.fault == Fault::truncate) return broken_off(std::move(made));
    return made;
}

// Counted while it lasts.
class Making {
public:
    explicit Making(unsigned* count) : count_(count) {
        if (count_ != nullptr) ++*count_;
    }
    Making(const Making&) = delete;
    Making& operator=(const Making&) = delete;
    ~Making() {
        if (count_ != nullptr) --*count_;
    }

private:
    unsigned* count_;
};

RequestOutcome outcome_of(const net::ServerReply& made, const Trouble& trouble) {
    if (trouble.fault != Fault::none && trouble.fault != Fault::slow) return RequestOutcome::fault;
    const bool error = made.status >= 400 || made.body.starts_with("{\"jsonrpc\":\"2.0\",\"error\"");
    return error ? RequestOutcome::error : RequestOutcome::ok;
}

}  // namespace

Gateway::Gateway(Chain& chain, const base::Clock& clock, GatewayOptions options)
    : Gateway(chain, nullptr, clock, std::move(options)) {}

Gateway::Gateway(LiveChain& chain, const base::Clock& clock, GatewayOptions options)
    : Gateway(chain, &chain, clock, std::move(options)) {}

Gateway::Gateway(Chain& chain, LiveChain* live, const base::Clock& clock, GatewayOptions options)
    : chain_(chain, live, lies_),
      live_(live),
      clock_(clock),
      started_(clock.steady()),
      options_(std::move(options)),
      access_(options_.access, clock),
      die_(options_.faults, options_.seed),
      neardata_(chain_, options_.chain_id, options_.archive_origin) {}

void Gateway::set_lies(std::vector<Lie> lies) {
    lies_.set(std::move(lies));
    chain_.begin();
}

Window Gateway::window(std::uint64_t behind, std::uint64_t retention_blocks) const {
    const Height newest = chain_.tip();
    const Height tip = behind == 0 ? newest : chain_.back(newest, behind);
    if (retention_blocks == 0) return {chain_.oldest(), tip};
    return {std::min(chain_.back(newest, retention_blocks - 1), chain_.final_head(tip)), tip};
}

Window Gateway::window(const Trouble& trouble) const {
    const auto pruned = trouble.retention_blocks;
    return window(trouble.stale_blocks, pruned > 0 ? pruned : options_.retention_blocks);
}

RpcContext Gateway::context(Window window) const {
    const auto uptime = std::chrono::floor<std::chrono::seconds>(clock_.steady() - started_);
    return {chain_, live_, options_.chain_id, window, static_cast<std::uint64_t>(uptime.count())};
}

void Gateway::chain_moved() {
    if (moved_) moved_->notify_all();
}

std::chrono::milliseconds Gateway::how_slow(const Trouble& trouble) const {
    return trouble.amount > 0 ? std::chrono::milliseconds(trouble.amount) : options_.slow;
}

base::Task<void> Gateway::pause(std::chrono::nanoseconds duration) const {
    if (duration <= std::chrono::nanoseconds::zero()) co_return;
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor);
    co_await base::sleep_on(timer, duration);
}

base::Task<void> Gateway::until_moved(base::Duration at_most) {
    const auto executor = co_await boost::asio::this_coro::executor;
    if (!moved_) moved_.emplace(executor);
    co_await base::wait_for(*moved_, executor, at_most);
}

base::Task<void> Gateway::hold(const net::ServerRequest& request, const Trouble& trouble) {
    if (!request.path.starts_with("/v0/")) co_return;
    const auto deadline = clock_.steady() + options_.longest_hold;
    while (const auto awaited = neardata_.awaited(request.path, window(trouble))) {
        const auto left = deadline - clock_.steady();
        if (left <= base::Duration::zero()) co_return;
        // A recording knows the time of the next block; a live chain wakes the waiting requests.
        if (live_)
            co_await until_moved(left);
        else
            co_await pause(std::min(left, chain_.until(*awaited).value_or(left)));
    }
}

base::Task<net::ServerReply> Gateway::handle(net::ServerRequest request) {
    if (request.method == "OPTIONS") co_return preflight_reply();
    if (request.path.starts_with("/sandbox/")) co_return sandbox_answer(request);
    if (request.path == "/metrics")
        co_return reply(200, "text/plain; version=0.0.4", counters_.prometheus_text(options_.name));
    net::ServerReply made = co_await serve(request);
    allow_any_origin(made);
    co_return made;
}

base::Task<net::ServerReply> Gateway::serve(const net::ServerRequest& request) {
    chain_.note_request();
    Admission admission = access_.admit(request);
    if (admission.refusal) {
        const bool limited = admission.refusal->status == 429;
        counters_.count(is_call(request) ? "refused" : path_label(request.path), admission.key,
                        limited ? RequestOutcome::limited : RequestOutcome::unauthorized);
        co_return std::move(*admission.refusal);
    }
    std::variant<RpcRequest, HttpAnswer> read;
    if (is_call(request)) read = read_request(request.header("Content-Type"), request.body);
    if (auto* refused = std::get_if<HttpAnswer>(&read)) {
        counters_.count("malformed", admission.key, RequestOutcome::error);
        co_return to_reply(std::move(*refused));
    }
    const auto& call = std::get<RpcRequest>(read);
    const std::string label = is_call(request) ? call.method : request.path;
    const Trouble trouble = die_.roll(label);
    net::ServerReply made;
    if (is_call(request))
        made = co_await served_call(call, trouble);
    else
        made = co_await served_page(request, trouble);
    counters_.count(is_call(request) ? method_label(call.method) : path_label(request.path), admission.key,
                    outcome_of(made, trouble));
    if (trouble.fault == Fault::reset) throw net::HangUp();
    if (trouble.clock_ahead.count() > 0)
        made.headers.push_back(
            {"Date", net::http_date(std::chrono::system_clock::now() + trouble.clock_ahead)});
    co_return made;
}

base::Task<net::ServerReply> Gateway::served_call(const RpcRequest& call, const Trouble& trouble) {
    const bool is_whole_block = call.method == kIndexerBlock;
    if (is_whole_block && indexer_blocks_ == options_.indexer_blocks_at_once)
        co_return to_reply(handler_error("BUSY", nullptr, {{"name", "BUSY"}, {"info", nullptr}}), call);
    const Making making(is_whole_block ? &indexer_blocks_ : nullptr);
    co_await pause(options_.latency + trouble.latency);
    if (auto blind = blind_answer(trouble, call.method, &call)) co_return std::move(*blind);
    if (trouble.fault == Fault::slow) co_await pause(how_slow(trouble));
    const RpcAnswer answered = co_await rpc_answer(call, trouble);
    co_return spoilt(to_reply(answered, call), trouble);
}

base::Task<net::ServerReply> Gateway::served_page(const net::ServerRequest& request, const Trouble& trouble) {
    co_await pause(options_.latency + trouble.latency);
    if (auto blind = blind_answer(trouble, request.path, nullptr)) co_return std::move(*blind);
    if (trouble.fault == Fault::slow) co_await pause(how_slow(trouble));
    co_await hold(request, trouble);
    net::ServerReply made = page(request, window(trouble));
    retell_page(lies_, chain_, request.path, made);
    lies_.settle();
    co_return spoilt(std::move(made), trouble);
}

base::Task<RpcAnswer> Gateway::rpc_answer(const RpcRequest& call, const Trouble& trouble) {
    if (trouble.fault == Fault::wrong) co_return wrong_answer(trouble.wrong, context(window(trouble)), call);
    if (auto told = unserved(lies_, call)) {
        lies_.settle();
        co_return std::move(*told);
    }
    RpcAnswer answered = retold(call_method(context(window(trouble)), call.method, call.params), call);
    const auto deadline = clock_.steady() + options_.longest_wait;
    while (answered.awaited) {
        const auto left = deadline - clock_.steady();
        if (left <= base::Duration::zero()) break;
        co_await until_moved(left);
        answered = retold(transaction_status(context(window(trouble)), *answered.awaited), call);
    }
    if (trouble.without_receipts) answered = without_receipts(std::move(answered), call, trouble);
    co_return answered;
}

RpcAnswer Gateway::retold(RpcAnswer answer, const RpcRequest& call) {
    retell(lies_, live_, call, answer);
    lies_.settle();
    return answer;
}

std::optional<net::ServerReply> Gateway::blind_answer(const Trouble& trouble, std::string_view label,
                                                      const RpcRequest* call) {
    if (trouble.fault == Fault::rate_limited)
        return too_many_requests(die_.coin() ? std::optional<base::Duration>(std::chrono::seconds(1))
                                             : std::nullopt);
    if (trouble.fault == Fault::html) return html_page(die_.coin() ? 502 : 200);
    if (trouble.fault == Fault::reset) return net::ServerReply();  // serve() hangs up
    if (trouble.fault != Fault::server_error) {
        auto told = hostile_reply(lies_, label, call);
        lies_.settle();
        return told;
    }
    if (trouble.amount > 0 && trouble.amount != 500)
        return html_page(static_cast<int>(trouble.amount));  // a proxy's
    if (!call) return reply(500, "application/json", "\"Internal data error\"");
    return to_reply(internal_error("The node reached its limits. Try again later."), *call);
}

net::ServerReply Gateway::answer(const net::ServerRequest& request, Window window) const {
    if (!is_call(request)) return page(request, window);
    auto read = read_request(request.header("Content-Type"), request.body);
    if (auto* refused = std::get_if<HttpAnswer>(&read)) return to_reply(std::move(*refused));
    const auto& call = std::get<RpcRequest>(read);
    return to_reply(call_method(context(window), call.method, call.params), call);
}

net::ServerReply Gateway::page(const net::ServerRequest& request, Window window) const {
    const bool reads = request.method == "GET" || request.method == "HEAD";
    if (!reads || request.path == "/") {
        net::ServerReply refused = reply(405, "text/plain", "");
        refused.headers.push_back({"Allow", request.path == "/" ? "POST, OPTIONS" : "GET, HEAD, OPTIONS"});
        return refused;
    }
    if (request.path.starts_with("/v0/")) {
        const bool gzip = request.header("Accept-Encoding").find("gzip") != std::string_view::npos;
        return neardata_.answer(request.path, request.query, window, gzip);
    }
    if (request.path == "/status") return json_reply(node_status(context(window)).dump());
    if (request.path == "/network_info") return json_reply(network_info(context(window)).dump());
    if (request.path == "/health") return json_reply(R"({"status":"ok"})");
    return reply(404, "text/plain", "");
}

net::ServerReply Gateway::sandbox_answer(const net::ServerRequest& request) const {
    Height height = 0;
    if (request.path == "/sandbox/tip") {
        height = chain_.tip();
    } else if (request.path == "/sandbox/served_at") {
        height = json_text::number(request.query_parameter("height")).value_or(0);
    } else {
        return reply(404, "text/plain", "");
    }
    const auto served = chain_.served_at(height);
    if (!served && request.path == "/sandbox/served_at")
        return reply(404, "application/json", R"({"error":"this height has not been servable yet"})");
    std::string body = "{\"height\":" + std::to_string(height) + ",\"served_at_unix_ns\":";
    body += served ? std::to_string(unix_nanosec(*served)) : "null";
    return json_reply(body + "}");
}

}  // namespace receiptd::sandbox
