// Routes requests: a table of method, pattern and action.
#pragma once

#include "api/guard.hpp"
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

struct Route {
    std::string_view method;   // HEAD goes to GET
    std::string_view pattern;  // "/v1/watches/{hash}": each {…} stands for one segment
    Access access = Access::read;
    Action action;
    Body body = Body::json;
};

class Router {
public:
    Router(std::vector<Route> routes, std::function<Guard()> guard, metrics::ApiSeries& series)
        : routes_(std::move(routes)), guard_(std::move(guard)), series_(series) {}

    const std::vector<Route>& routes() const { return routes_; }

    // A request for a sign of life: it is answered when all other connections are taken.
    bool is_probe(const net::ServerRequest& head) const;
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
    std::function<Guard()> guard_;
    metrics::ApiSeries& series_;
};

}  // namespace receiptd::api
