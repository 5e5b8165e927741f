// HTTP answers that more than one part of the gateway gives.
#pragma once

#include "net/http_server.hpp"

#include <string>
#include <string_view>

namespace receiptd::sandbox {

net::ServerReply reply(int status, const char* content_type, std::string body);
inline net::ServerReply json_reply(std::string body) {
    return reply(200, "application/json", std::move(body));
}

// To OPTIONS: what a browser may do here (rpc.md §1).
net::ServerReply preflight_reply();
// Any page of any site may read the answer.
void allow_any_origin(net::ServerReply& made);

// The same answer with its JSON broken off, as a whole answer.
net::ServerReply cut_short(net::ServerReply whole);
// The first half of the answer, then the end of the connection.
net::ServerReply broken_off(net::ServerReply whole);
// The page a CDN shows in place of an answer.
net::ServerReply html_page(int status);

// The path of a request as a label from a closed set.
std::string_view path_label(std::string_view path);

}  // namespace receiptd::sandbox
