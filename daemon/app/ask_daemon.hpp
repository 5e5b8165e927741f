#pragma once

#include "config/settings.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string_view>

namespace receiptd::app {

// /v1/status of the running daemon; nullopt if none answers at http.listen.
std::optional<nlohmann::json> ask_daemon(const config::Http& http);
// Writes to stderr that no daemon answers, and `meaning`.
void say_if_nobody_answers(const config::Http& http, std::string_view meaning);

}  // namespace receiptd::app
