#include "sandbox/gateway/replies.hpp"

#include "base/coroutine.hpp"

#include <array>
#include <memory>
#include <utility>

namespace receiptd::sandbox {

namespace {

constexpr std::string_view kPage =
    "<!DOCTYPE html>\n<html><head><title>Just a moment...</title></head>"
    "<body><h1>Checking your browser</h1></body></html>\n";

constexpr std::array<std::string_view, 7> kPaths{"/v0/block_opt/",  "/v0/block/", "/v0/last_block/",
                                                 "/v0/first_block", "/status",    "/health",
                                                 "/network_info"};

base::Task<std::string> rest_of(std::shared_ptr<std::string> text) {
    if (text->empty()) throw net::HangUp();
    co_return std::exchange(*text, {});
}

}  // namespace

net::ServerReply reply(int status, const char* content_type, std::string body) {
    net::ServerReply made;
    made.status = status;
    made.headers = {{"Content-Type", content_type}};
    made.body = std::move(body);
    return made;
}

net::ServerReply preflight_reply() {
    net::ServerReply made = reply(200, "text/plain", "");
    made.headers.push_back({"Access-Control-Allow-Methods", "GET, POST"});
    made.headers.push_back({"Access-Control-Allow-Headers", "Authorization, Accept, Content-Type"});
    made.headers.push_back({"Access-Control-Max-Age", "3600"});
    allow_any_origin(made);
    return made;
}

void allow_any_origin(net::ServerReply& made) {
    made.headers.push_back({"Access-Control-Allow-Origin", "*"});
}

net::ServerReply cut_short(net::ServerReply whole) {
    std::string body = whole.shared_body ? *whole.shared_body : std::move(whole.body);
    whole.shared_body.reset();
    body.resize(body.size() * 2 / 3);
    whole.body = std::move(body);
    return whole;
}

net::ServerReply broken_off(net::ServerReply whole) {
    std::string body = whole.shared_body ? *whole.shared_body : std::move(whole.body);
    whole.shared_body.reset();
    whole.body.clear();
    body.resize(body.size() / 2);
    whole.next_piece = [half = std::make_shared<std::string>(std::move(body))] { return rest_of(half); };
    return whole;
}

net::ServerReply html_page(int status) { return reply(status, "text/html", std::string(kPage)); }

std::string_view path_label(std::string_view path) {
    for (const auto known : kPaths) {
        if (path.starts_with(known)) return known;
    }
    return "other";
}

}  // namespace receiptd::sandbox
