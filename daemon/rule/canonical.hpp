// The one text of each JSON value: members sorted by name, no spaces.
#pragma once

#include "rule/json_document.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace receiptd::rule {

// Numbers stay as they were written. nullopt: it is deeper than any rule may be.
std::optional<std::string> canonical(const JsonDocument& document, const JsonNode& node);

// The members in which two rules differ, for people: {`kind = "event"`, `kind = "transfer", method = "x"`}.
// Both are canonical JSON objects.
std::pair<std::string, std::string> difference(std::string_view before, std::string_view after);

}  // namespace receiptd::rule
