#pragma once

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace receiptd::app {

// /v1/status of the running daemon; nullopt if none answers at http.listen.
std::optional<nlohmann::json> ask_daemon(const std::string& listen);
// Writes to stderr that no daemon answers, and `meaning`.
void say_if_nobody_answers(const std::string& listen, std::string_view meaning);

}  // namespace receiptd::app
