// Actions as rules name them.
#pragma once

#include "chain/json/errors.hpp"
#include "rule/words.hpp"

#include <string>
#include <vector>

namespace receiptd::storage {

// `names` as NEAR has them: "FunctionCall".
inline rule::Actions actions_in(const std::vector<std::string>& names) {
    rule::Actions actions = 0;
    for (const auto& name : names)
        actions |= bit(rule::parse_action(chain::class_of_variant(name)).value_or(rule::Action::unknown));
    return actions;
}

}  // namespace receiptd::storage
