// The header Retry-After (RFC 9110 §10.2.3).
#pragma once

#include "base/clock.hpp"

#include <optional>
#include <string_view>

namespace receiptd::net {

// Seconds or an HTTP date (IMF-fixdate), never negative and at most `longest`; nullopt if absent or
// unreadable.
std::optional<base::Duration> parse_retry_after(std::string_view header, base::WallTime now,
                                                std::chrono::seconds longest);

}  // namespace receiptd::net
