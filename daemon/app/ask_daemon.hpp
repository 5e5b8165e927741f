#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace receiptd::app {

// /v1/status of the running daemon; nullopt if none answers at http.listen.
std::optional<nlohmann::json> ask_daemon(const std::string& listen);

}  // namespace receiptd::app
