#include "net/reply_text.hpp"

#include "base/ascii.hpp"
#include "net/fields.hpp"

#include <boost/beast/http/status.hpp>

#include <algorithm>
#include <array>
#include <charconv>

namespace receiptd::net {

namespace http = boost::beast::http;

namespace {

bool is_added_by_server(std::string_view name) {
    static constexpr std::array<std::string_view, 4> kNames = {"Content-Length", "Transfer-Encoding",
                                                               "Connection", "Date"};
    return std::any_of(kNames.begin(), kNames.end(),
                       [&](std::string_view own) { return base::equals_ignoring_case(own, name); });
}

}  // namespace

ServerReply plain_reply(int status, std::string_view text) {
    ServerReply reply;
    reply.status = status;
    reply.headers.push_back({"Content-Type", "text/plain; charset=utf-8"});
    reply.body.append(text).append("\n");
    return reply;
}

bool is_sound(const ServerReply& reply) {
    return reply.status >= 200 && reply.status <= 599 &&
           std::all_of(reply.headers.begin(), reply.headers.end(), [](const Header& header) {
               return base::is_token(header.name) && base::is_field_value(header.value);
           });
}

bool has_body(int status) { return status != 204 && status != 304; }

std::string write_reply_head(const ServerReply& reply, Framing framing, std::uint64_t length,
                             bool keep_alive) {
    std::string head = "HTTP/1.1 " + std::to_string(reply.status) + " ";
    const auto add = [&](std::string_view name, std::string_view value) {
        head.append(name).append(": ").append(value).append("\r\n");
    };
    head.append(http::obsolete_reason(static_cast<http::status>(reply.status))).append("\r\n");
    const auto date = find_header(reply.headers, "Date");
    add("Date", date.empty() ? http_date(std::chrono::system_clock::now()) : std::string(date));
    for (const Header& header : reply.headers)
        if (!is_added_by_server(header.name)) add(header.name, header.value);
    if (has_body(reply.status) && framing == Framing::length) add("Content-Length", std::to_string(length));
    if (has_body(reply.status) && framing == Framing::chunked) add("Transfer-Encoding", "chunked");
    add("Connection", keep_alive ? "keep-alive" : "close");
    head += "\r\n";
    return head;
}

std::string chunk_head(std::size_t size) {
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), size, 16).ptr;
    return std::string(digits.data(), end) + "\r\n";
}

}  // namespace receiptd::net
