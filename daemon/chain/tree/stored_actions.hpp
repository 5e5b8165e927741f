// Actions as the tables keep them (args_json.hpp), read again.
#pragma once

#include "chain/tree/receipt_graph.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::chain {

// What judging asks of the actions of a transaction or receipt.
struct ActionFacts {
    std::vector<std::string> names;
    std::string method_name;  // of the first function call, else the first action's name
    u128 deposit = 0;         // sum, those inside a Delegate action too
    bool deletes_account = false;
    std::optional<DelegateFacts> delegate;
};

// The facts of receipt_facts() and transaction_facts(). `json` is a stored array of actions; of one that
// cannot be read, what came before the fault.
ActionFacts stored_action_facts(std::string_view json);

}  // namespace receiptd::chain
