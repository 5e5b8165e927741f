// Actions and keys as JSON views tell them (chain-model.md §6.1), and the raw form that stands inside
// a Delegate (§6.2).
#pragma once

#include "sandbox/ledger/records.hpp"

namespace receiptd::sandbox {

Json actions_json(const std::vector<sim::wire::Action>& actions);
// rpc.md §6: "FullAccess", {"FunctionCall": {…}}, …
Json permission_json(const sim::wire::Permission& permission);
// {"hash"} or {"account_id"}
Json contract_id_json(const sim::wire::GlobalContractId& id);
// {nonce, permission}
Json access_key_json(const sim::wire::AccessKey& access_key);

}  // namespace receiptd::sandbox
