#include "sandbox/gateway/gateway.hpp"

#include "sandbox/gateway/json_text.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>

namespace receiptd::sandbox {

namespace {

constexpr std::uint64_t kStaleBlocks = 3;
constexpr std::string_view kPage =
    "<!DOCTYPE html>\n<html><head><title>Just a moment...</title></head>"
    "<body><h1>Checking your browser</h1></body></html>\n";

net::ServerReply reply(int status, const char* content_type, std::string body) {
    net::ServerReply made;
    made.status = status;
    made.headers = {{"Content-Type", content_type}};
    made.body = std::move(body);
    return made;
}

net::ServerReply json_reply(std::string body) { return reply(200, "application/json", std::move(body)); }

std::int64_t unix_nanosec(base::WallTime time) { return time.time_since_epoch().count(); }

// The same answer with its JSON broken off, as a whole answer.
net::ServerReply cut_short(net::ServerReply whole) {
    std::string body = whole.shared_body ? *whole.shared_body : std::move(whole.body);
    whole.shared_body.reset();
    body.resize(body.size() * 2 / 3);
    whole.body = std::move(body);
    return whole;
}

}  // namespace

Gateway::Gateway(Chain& chain, const base::Clock& clock, GatewayOptions options)
    : chain_(chain),
      clock_(clock),
      options_(std::move(options)),
      access_(options_.access, clock),
      die_(options_.faults, options_.seed),
      json_rpc_(chain, options_.chain_id),
      neardata_(chain, options_.chain_id, options_.archive_origin) {}

Window Gateway::window(std::uint64_t behind) const {
    const Height newest = chain_.tip();
    const Height tip = behind == 0 ? newest : chain_.back(newest, behind);
    if (options_.retention_blocks == 0) return {chain_.first(), tip};
    return {chain_.back(newest, options_.retention_blocks - 1), tip};
}

base::Task<void> Gateway::pause(std::chrono::nanoseconds duration) const {
    if (duration <= std::chrono::nanoseconds::zero()) co_return;
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor);
    timer.expires_after(std::chrono::duration_cast<boost::asio::steady_timer::duration>(duration));
    co_await timer.async_wait(boost::asio::use_awaitable);
}

// Waits for a whole block just above the newest, as neardata does, up to longest_hold.
base::Task<void> Gateway::hold(const net::ServerRequest& request) const {
    if (!request.path.starts_with("/v0/")) co_return;
    const auto deadline = clock_.steady() + options_.longest_hold;
    while (const auto awaited = neardata_.awaited(request.path, window())) {
        const auto left = deadline - clock_.steady();
        if (left <= base::Duration::zero()) co_return;
        co_await pause(std::min(left, chain_.until(*awaited).value_or(left)));
    }
}

base::Task<net::ServerReply> Gateway::handle(net::ServerRequest request) {
    if (request.path.starts_with("/sandbox/")) co_return sandbox_answer(request);
    chain_.note_request();
    if (auto refused = access_.refuse(request)) co_return std::move(*refused);
    const Fault fault = die_.roll();
    std::chrono::nanoseconds delay = options_.latency;
    if (fault == Fault::slow) delay += options_.slow;
    co_await pause(delay);
    if (fault == Fault::none || fault == Fault::slow) {
        co_await hold(request);
        co_return answer(request, window());
    }
    co_return faulty(fault, request);
}

net::ServerReply Gateway::faulty(Fault fault, const net::ServerRequest& request) {
    net::ServerReply made;
    switch (fault) {
        case Fault::rate_limited:
            return too_many_requests(die_.coin() ? std::optional<base::Duration>(std::chrono::seconds(1))
                                                 : std::nullopt);
        case Fault::server_error:
            if (request.method != "POST") return reply(500, "application/json", "\"Internal data error\"");
            return reply(500, "application/json",
                         envelope(internal_error("The node reached its limits. Try again later."),
                                  request_id(request.body)));
        case Fault::html: return reply(die_.coin() ? 502 : 200, "text/html", std::string(kPage));
        case Fault::malformed: return cut_short(answer(request, window()));
        case Fault::stale: return answer(request, window(kStaleBlocks));
        case Fault::reset: made.sabotage = net::Sabotage::reset; return made;
        case Fault::truncate:
            made = answer(request, window());
            made.sabotage = net::Sabotage::truncate;
            return made;
        case Fault::none:
        case Fault::slow: break;
    }
    return answer(request, window());
}

net::ServerReply Gateway::answer(const net::ServerRequest& request, Window window) const {
    if (request.path == "/" && request.method == "POST") {
        HttpAnswer answered = json_rpc_.answer(request.header("Content-Type"), request.body, window);
        return reply(answered.status, answered.content_type, std::move(answered.body));
    }
    if (request.method != "GET" && request.method != "HEAD") return reply(405, "text/plain", "");
    if (request.path.starts_with("/v0/")) return neardata_.answer(request.path, request.query, window);
    if (request.path == "/status") return json_reply(json_rpc_.status(window));
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
