// Checks that an endpoint has the keys that its channel needs, and no others.
#pragma once

#include "config/report.hpp"
#include "config/settings.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace receiptd::config {

// Reports keys that are missing or of another channel, and templates that cannot be used. `path`:
// "endpoint[0]".
void check_channel(const Endpoint& endpoint, const std::string& path, const Places& places, Report& report);

// Each returns the fault as the end of a sentence, without the secret; nullopt: there is none.
std::optional<std::string> routing_key_fault(std::string_view key);
std::optional<std::string> bot_token_fault(std::string_view token);

}  // namespace receiptd::config
