// Rules for a list of actions that need no state: of a transaction, of a delegate action and of a
// receipt that a contract makes.
#pragma once

#include "sandbox/sim/protocol.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace receiptd::sandbox::sim {

// The first ActionsValidationError (rpc.md §5.5) in nearcore's order, without the variant around it
// ("DeleteActionMustBeFinal", {"ContractSizeExceeded":{…}}); nullopt: valid.
std::optional<Json> check_actions(const Protocol& protocol, std::span<const wire::Action> actions,
                                  std::string_view receiver_id);
// The part of it that looks at the records of a state init.
std::optional<Json> check_state_records(const wire::StateInit& state_init);

}  // namespace receiptd::sandbox::sim
