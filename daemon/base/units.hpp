// Durations and sizes as people write them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace receiptd::base {

// "250ms", "30s", "1h30m", "90d", "2w"; whole numbers with units, largest unit first or not.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);
std::string format_duration(std::chrono::milliseconds duration);

// "4096", "512KiB", "64MiB", "1GiB", "10MB" (1000-based), "7B".
std::optional<std::uint64_t> parse_bytes(std::string_view text);
std::string format_bytes(std::uint64_t bytes);

}  // namespace receiptd::base
