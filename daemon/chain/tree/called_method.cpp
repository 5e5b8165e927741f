#include "chain/tree/called_method.hpp"

namespace receiptd::chain {

Text called_method(const std::vector<Action>& actions) {
    for (const auto& action : actions)
        if (action.kind == ActionKind::function_call) return action.method_name;
    return {};
}

Text called_method_or_action(const std::vector<Action>& actions) {
    const auto method = called_method(actions);
    return method.empty() && !actions.empty() ? actions.front().name : method;
}

}  // namespace receiptd::chain
