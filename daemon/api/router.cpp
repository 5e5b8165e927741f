#include "api/router.hpp"

#include "api/database_calls.hpp"
#include "base/coroutine.hpp"
#include "base/log.hpp"
#include "base/visible.hpp"
#include "storage/errors.hpp"

#include <algorithm>

namespace receiptd::api {

namespace {

constexpr const char* kRetryAfter = "5";  // seconds

// The text before the next '/', which is taken off with it.
std::string_view take_segment(std::string_view& text) {
    const auto end = std::min(text.find('/'), text.size());
    const auto segment = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return segment;
}

// True with what each {…} stands for: a text that is never empty.
bool matches(std::string_view pattern, std::string_view path, std::vector<std::string>& captured) {
    if (std::count(pattern.begin(), pattern.end(), '/') != std::count(path.begin(), path.end(), '/'))
        return false;
    while (!pattern.empty() || !path.empty()) {
        const auto wanted = take_segment(pattern);
        const auto given = take_segment(path);
        if (!wanted.starts_with('{')) {
            if (wanted != given) return false;
        } else {
            const bool is_text = base::is_utf8(given) && given.find('\0') == std::string_view::npos;
            if (given.empty() || !is_text) return false;
            captured.emplace_back(given);
        }
    }
    return true;
}

// Pages of other sites can put an answer into themselves, which tells them whether it is there, or take it
// for what it is not.
net::ServerReply for_this_site(net::ServerReply reply) {
    for (const auto& [name, value] : {std::pair{"X-Content-Type-Options", "nosniff"},
                                      std::pair{"Cross-Origin-Resource-Policy", "same-origin"}})
        if (std::none_of(
                reply.headers.begin(), reply.headers.end(),
                [&, header = std::string_view(name)](const auto& known) { return known.name == header; }))
            reply.headers.push_back({name, value});
    return reply;
}

Problem unavailable(std::string detail) {
    Problem problem;
    problem.status = 503;
    problem.detail = std::move(detail);
    problem.headers.push_back({"Retry-After", kRetryAfter});
    return problem;
}

net::ServerReply not_allowed(const std::vector<std::string_view>& methods) {
    std::string allow;
    for (const auto method : methods) {
        allow.append(allow.empty() ? "" : ", ").append(method);
        if (method == "GET") allow += ", HEAD";
    }
    Problem problem;
    problem.status = 405;
    problem.detail = "this path takes " + allow;
    problem.headers.push_back({"Allow", allow});
    return problem_reply(problem);
}

}  // namespace

Router::Match Router::find(const net::ServerRequest& request) const {
    const std::string_view method = request.method == "HEAD" ? "GET" : std::string_view(request.method);
    Match match;
    for (const auto& route : routes_) {
        std::vector<std::string> captured;
        if (!matches(route.pattern, request.path, captured)) continue;
        match.allowed.push_back(route.method);
        if (route.method != method) continue;
        match.route = &route;
        match.captured = std::move(captured);
    }
    return match;
}

bool Router::is_probe(const net::ServerRequest& head) const {
    const auto match = find(head);
    return match.route != nullptr &&
           (match.route->access == Access::probe || match.route->access == Access::metrics);
}

std::optional<net::ServerReply> Router::refuse(const net::ServerRequest& head) const {
    auto refused = refuse(head, find(head));
    if (refused) refused = for_this_site(std::move(*refused));
    return refused;
}

std::optional<net::ServerReply> Router::refuse(const net::ServerRequest& head, const Match& match) const {
    const Guard guard = guard_();
    if (!match.route || match.route->access != Access::probe)
        if (const auto refused = host_refusal(head, guard)) return problem_reply(*refused);
    if (!match.route && !match.allowed.empty()) return not_allowed(match.allowed);
    if (!match.route) {
        Problem problem;
        problem.status = 404;
        problem.detail = "there is no such path; /openapi.json lists all";
        return problem_reply(problem);
    }
    const auto refused = refusal_of(head, guard, match.route->access, match.route->body);
    if (!refused) return std::nullopt;
    series_.count(match.route->pattern, refused->status);
    return problem_reply(*refused);
}

base::Task<net::ServerReply> Router::answer(net::ServerRequest request) const {
    auto match = find(request);
    if (auto refused = refuse(request, match)) co_return for_this_site(std::move(*refused));
    Call call;
    call.request = std::move(request);
    call.captured = std::move(match.captured);
    auto reply = co_await run(*match.route, std::move(call));
    series_.count(match.route->pattern, reply.status);
    co_return for_this_site(std::move(reply));
}

base::Task<net::ServerReply> Router::run(const Route& route, Call call) const {
    Problem problem;
    try {
        auto task = route.action(std::move(call));
        co_return co_await std::move(task);
    } catch (const NoAnswer& error) {
        problem = unavailable(error.what());
    } catch (const storage::StorageStopped&) {
        problem = unavailable("the daemon is stopping");
    } catch (const storage::StorageTimeout& error) {
        problem = unavailable(error.what());
    } catch (const storage::StorageError& error) {
        log::error("the database refused a request of the API",
                   {{"route", std::string(route.pattern)}, {"because", error.what()}});
        problem.status = 500;
        problem.detail = "the database refused the request; the daemon's log says why";
    }
    co_return problem_reply(problem);
}

}  // namespace receiptd::api
