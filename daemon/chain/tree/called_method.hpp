// What a list of actions is for, in one word.
#pragma once

#include "chain/json/model.hpp"

#include <vector>

namespace receiptd::chain {

// The method of the first function call; empty if there is none. A view into the actions' document.
Text called_method(const std::vector<Action>& actions);

// The same, else the first action's name.
Text called_method_or_action(const std::vector<Action>& actions);

}  // namespace receiptd::chain
