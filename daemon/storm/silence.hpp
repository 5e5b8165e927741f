// Silences: alerts that match one are not sent while it lasts.
#pragma once

#include "base/result.hpp"
#include "storm/about.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::storm {

// Each list that is not empty must match; one of its patterns ('*', '?') is enough.
struct Matcher {
    std::vector<std::string> rule, endpoint, kind, contract, method, error_class;
    std::vector<std::string> account;  // the contract, the signer, the user or the account of a transfer
};

inline constexpr std::size_t kMostPatterns = 100;  // of a matcher
inline constexpr std::size_t kLongestPattern = 256;

// A JSON object of those names, each with a text or a list of texts. Else why it is refused.
base::Result<Matcher, std::string> parse_matcher(std::string_view json);
std::string to_json(const Matcher& matcher);  // sorted, without the empty lists

// Alerts about transactions match only if `kind` names theirs without a wildcard: nobody waits in vain for
// the end of a transaction because of a silence that was meant for something else.
bool matches(const Matcher& matcher, const About& about);

struct Silence {
    std::int64_t id = 0;
    Matcher matcher;
    base::WallTime starts_at{};
    base::WallTime ends_at{};
};

// The first one that lasts at `now` and matches; null: none does.
const Silence* silence_of(const std::vector<Silence>& silences, const About& about, base::WallTime now);

}  // namespace receiptd::storm
