// From a request's target to path and query.
#pragma once

#include "net/http_server.hpp"

#include <string_view>

namespace receiptd::net {

// Fills path, query and target_host from an origin-form ("/a?b"), absolute-form ("http://host/a?b") or "*"
// target. False if it is none of these or has a broken escape.
bool read_target(std::string_view target, ServerRequest& request);

}  // namespace receiptd::net
