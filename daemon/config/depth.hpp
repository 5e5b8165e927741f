// Text that nests deeper than the stack reaches: toml++ bounds lists and inline tables, but a key of 60,000
// parts is as many tables within one another, which it takes apart by recursion.
#pragma once

#include "config/report.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace receiptd::config {

// Far more than a configuration needs: both the parts of one key, and lists and inline tables within one
// another.
inline constexpr std::size_t kDeepest = 32;

// The first place that is deeper. Pure and linear; text up to the first fault of syntax is read as toml++
// reads it, and nothing behind that fault is parsed.
std::optional<Position> too_deep(std::string_view toml);

}  // namespace receiptd::config
