// A request as it goes over the wire.
#pragma once

#include "net/http_client.hpp"

#include <optional>
#include <string>

namespace receiptd::net {

struct RequestText {
    std::string head;  // with the body in it if that is small: one write, one TLS record
    std::string body;  // the rest
    bool is_head = false;
};

// nullopt if the request cannot be written safely: a method, target or header with characters that
// would end it early, or a header that is the client's own affair (length, connection).
std::optional<RequestText> write_request(HttpRequest request, const HttpClientOptions& options);

}  // namespace receiptd::net
