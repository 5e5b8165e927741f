// Routes requests: a table of method, pattern and action.
#pragma once

#include "api/problem.hpp"
#include "base/secret.hpp"
#include "metrics/api_series.hpp"
#include "net/http_server.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::api {

struct Call {
    net::ServerRequest request;
    std::vector<std::string> captured;  // what stands in the path for each {…} of the pattern
};
using Action = std::function<base::Task<net::ServerReply>(Call)>;

enum class Access { read, write };
enum class Body { json, toml, none };  // of a POST

struct Route {
    std::string_view method;   // HEAD goes to GET
    std::string_view pattern;  // "/v1/watches/{hash}": each {…} stands for one segment
    Access access = Access::read;
    Action action;
    Body body = Body::json;
};

// The reason to refuse a write; nullopt: none. Without a token nobody may write. A browser's page of another
// origin cannot write: it cannot send the token's header without asking first (CORS), and nobody answers that
// question.
std::optional<Problem> write_refusal(const net::ServerRequest& request, const base::Secret& token, Body body);
// Whether the request has this token.
bool has_token(const net::ServerRequest& request, const base::Secret& token);
// A request must not have a body that nobody would look at.
std::optional<Problem> body_refusal(const net::ServerRequest& request);

class Router {
public:
    // `token`: of writes, as the configuration has it now; empty: none.
    Router(std::vector<Route> routes, std::function<base::Secret()> token, metrics::ApiSeries& series)
        : routes_(std::move(routes)), token_(std::move(token)), series_(series) {}

    const std::vector<Route>& routes() const { return routes_; }

    // Why a request is refused whatever its body says; nullopt: it is not.
    std::optional<net::ServerReply> refuse(const net::ServerRequest& head) const;

    // Never throws but for being cancelled: the database being away is 503, anything unforeseen 500.
    base::Task<net::ServerReply> answer(net::ServerRequest request) const;

private:
    struct Match {
        const Route* route = nullptr;
        std::vector<std::string> captured;
        std::vector<std::string_view> allowed;  // methods of the path
    };
    Match find(const net::ServerRequest& request) const;
    std::optional<net::ServerReply> refuse(const net::ServerRequest& head, const Match& match) const;
    base::Task<net::ServerReply> run(const Route& route, Call call) const;

    std::vector<Route> routes_;
    std::function<base::Secret()> token_;
    metrics::ApiSeries& series_;
};

}  // namespace receiptd::api
