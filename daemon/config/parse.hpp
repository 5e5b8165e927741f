// Forms of single values, as pure functions.
#pragma once

#include "config/settings.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::config {

// "250ms", "30s", "1h30m", "90d", "2w"; whole numbers with units, largest unit first or not.
std::optional<Millis> parse_duration(std::string_view text);
std::string format_duration(Millis duration);

// "4096", "512KiB", "64MiB", "1GiB", "10MB" (1000-based), "7B".
std::optional<std::uint64_t> parse_bytes(std::string_view text);
std::string format_bytes(std::uint64_t bytes);

// Each returns the fault as the end of a sentence; nullopt: there is none.
std::optional<std::string> url_fault(std::string_view url);
std::optional<std::string> listen_fault(std::string_view listen);
std::optional<std::string> account_fault(std::string_view account_id);
std::optional<std::string> name_fault(std::string_view name);
// The secret is "whsec_" and base64 of 24 to 64 bytes (standardwebhooks.com); the text never holds any of it.
std::optional<std::string> webhook_secret_fault(std::string_view secret);
std::optional<std::string> database_url_fault(std::string_view url);

// For messages: "https://host:port" of a URL that url_fault() accepts, without path and query.
std::string url_host(std::string_view url);
bool is_loopback_host(std::string_view host);

// The known word most like this one (letters left out, added, changed or swapped), if any is near.
std::optional<std::string_view> nearest(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace receiptd::config
