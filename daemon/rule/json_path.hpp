// Paths into JSON: "[*].amount", "msg.actions[0].pool_id", "[\"a name with . or [\"]".
#pragma once

#include "base/result.hpp"
#include "rule/json_document.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace receiptd::rule {

struct EachItem {  // [*]: of a list
    friend bool operator==(const EachItem&, const EachItem&) = default;
};
using JsonStep = std::variant<std::string, std::size_t, EachItem>;
using JsonPath = std::vector<JsonStep>;

inline constexpr std::size_t kLongestPath = 256;  // bytes
inline constexpr std::size_t kMostSteps = 16;

// The error is the end of a sentence: "must ...".
base::Result<JsonPath, std::string> parse_path(std::string_view text);

// Whether some value at the path satisfies `test`. Takes time in proportion to the values below `from`.
bool any_at(const JsonDocument& document, const JsonNode& from, const JsonPath& path,
            const std::function<bool(const JsonNode&)>& test);

}  // namespace receiptd::rule
