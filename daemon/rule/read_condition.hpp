// The conditions of a rule: tables of keys, any, all and not within one another.
#pragma once

#include "rule/reading.hpp"

#include <functional>
#include <string>
#include <vector>

namespace receiptd::rule {

// Kinds as their author named them: "finding" are many.
struct NamedKinds {
    std::string name;
    Kinds kinds = 0;
};

struct Conditions {
    All all;
    std::vector<std::string> asked;  // every key, of nested tables, too
};
// `is_own` says which keys are no conditions but the rule's own.
Conditions read_conditions(Reading& reading, const std::string& path, const JsonNode& table,
                           const std::vector<NamedKinds>& kinds,
                           const std::function<bool(const std::string& key)>& is_own);

}  // namespace receiptd::rule
