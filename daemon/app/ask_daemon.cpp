#include "app/ask_daemon.hpp"

#include "base/coroutine.hpp"
#include "base/exact_json.hpp"
#include "base/task_group.hpp"
#include "net/http_client.hpp"

#include <nlohmann/json.hpp>

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <iostream>
#include <utility>

namespace receiptd::app {
namespace {

using nlohmann::json;

constexpr auto kDaemonPatience = std::chrono::milliseconds(2'000);

base::Task<void> get_status(net::HttpClient& client, base::Secret token, std::optional<json>& answer) {
    net::HttpRequest request;
    request.target = "/v1/status";
    if (!token.empty()) request.headers.push_back({"Authorization", "Bearer " + token.reveal()});
    const auto response = co_await client.send(std::move(request));
    if (!response || response->status != 200) co_return;
    auto parsed = base::read_json(response->body);
    if (parsed.is_object()) answer = json(std::move(parsed));
}

}  // namespace

std::optional<json> ask_daemon(const config::Http& http) {
    constexpr std::string_view kUnix = "unix:";
    const bool is_unix = http.listen.starts_with(kUnix);
    const auto url = net::parse_url("http://" + (is_unix ? "localhost" : http.listen));
    if (!url || url->port == 0) return std::nullopt;
    boost::asio::io_context context;
    net::HttpClientOptions options;
    options.origin = *url;
    if (is_unix) options.unix_path = http.listen.substr(kUnix.size());
    options.connect_timeout = options.request_timeout = kDaemonPatience;
    net::HttpClient client(context.get_executor(), options);
    std::optional<json> answer;
    base::TaskGroup asking(context.get_executor());
    asking.spawn(get_status(client, http.read_token, answer));
    context.run_for(2 * kDaemonPatience);
    return answer;
}

void say_if_nobody_answers(const config::Http& http, std::string_view meaning) {
    if (!ask_daemon(http)) std::cerr << "no daemon answers at " << http.listen << ": " << meaning << '\n';
}

}  // namespace receiptd::app
