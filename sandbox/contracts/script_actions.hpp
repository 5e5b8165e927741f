// The actions of a script's batch (grammar: script.hpp).
#pragma once

#include "sandbox/contracts/script_fields.hpp"

namespace receiptd::sandbox::contracts {

struct ScriptAction {
    sim::wire::Action action;
    std::uint64_t gas_weight = 0;
};
// `where` of the item: "step 3 (batch) action 1".
ScriptAction read_script_action(const ScriptValue& item);

}  // namespace receiptd::sandbox::contracts
