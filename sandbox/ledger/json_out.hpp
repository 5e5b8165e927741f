// JSON values as the text that is sent.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace receiptd::sandbox {

// A log or panic message may be no UTF-8: its bad bytes become U+FFFD, as in a node's JSON.
inline std::string to_text(const nlohmann::json& json) {
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace receiptd::sandbox
