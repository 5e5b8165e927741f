#include "net/request_text.hpp"

#include "base/ascii.hpp"
#include "net/fields.hpp"
#include "net/proxy.hpp"

#include <algorithm>
#include <array>

namespace receiptd::net {

namespace {

constexpr std::size_t kSmallBody = 16 * 1024;

bool is_own_affair(std::string_view name) {
    static constexpr std::array<std::string_view, 6> kNames = {
        "Content-Length", "Transfer-Encoding", "Connection", "Expect", "Upgrade", "Proxy-Authorization"};
    return std::any_of(kNames.begin(), kNames.end(),
                       [&](std::string_view own) { return base::equals_ignoring_case(own, name); });
}

bool is_sound(const HttpRequest& request) {
    return base::is_token(request.method) && request.method != "CONNECT" &&
           is_request_target(request.target) &&
           std::all_of(request.headers.begin(), request.headers.end(), [](const Header& header) {
               return base::is_token(header.name) && base::is_field_value(header.value) &&
                      !is_own_affair(header.name);
           });
}

std::string host_field(const Url& origin) {
    std::string host = origin.host.find(':') == std::string::npos ? origin.host : "[" + origin.host + "]";
    if (origin.port != (origin.tls ? 443 : 80)) host += ":" + std::to_string(origin.port);
    return host;
}

}  // namespace

std::optional<RequestText> write_request(HttpRequest request, const HttpClientOptions& options) {
    if (!is_sound(request) || !base::is_field_value(options.user_agent)) return std::nullopt;
    RequestText text;
    text.is_head = request.method == "HEAD";
    std::string& head = text.head;
    const auto add = [&](std::string_view name, std::string_view value) {
        head.append(name).append(": ").append(value).append("\r\n");
    };
    const auto add_unless_given = [&](std::string_view name, std::string_view value) {
        const bool given =
            std::any_of(request.headers.begin(), request.headers.end(),
                        [&](const Header& header) { return base::equals_ignoring_case(header.name, name); });
        if (!given) add(name, value);
    };
    const bool is_forwarded = options.proxy && !options.origin.tls;
    head.append(request.method).append(" ");
    if (is_forwarded) head.append(options.origin.origin());
    head.append(request.target).append(" HTTP/1.1\r\n");
    add_unless_given("Host", host_field(options.origin));
    if (is_forwarded && !options.proxy->login.empty())
        add("Proxy-Authorization", login_field(*options.proxy));
    add_unless_given("User-Agent", options.user_agent);
    if (options.gzip) add_unless_given("Accept-Encoding", "gzip");
    add("Connection", "keep-alive");
    for (const Header& header : request.headers) add(header.name, header.value);
    if (!request.body.empty() || request.method == "POST" || request.method == "PUT" ||
        request.method == "PATCH")
        add("Content-Length", std::to_string(request.body.size()));
    head += "\r\n";
    if (request.body.size() <= kSmallBody)
        head += request.body;
    else
        text.body = std::move(request.body);
    return text;
}

}  // namespace receiptd::net
