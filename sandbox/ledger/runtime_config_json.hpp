// `runtime_config` of EXPERIMENTAL_protocol_config (rpc.md §7.4): what the sandbox charges and allows, and
// beside it every member that protocol version 86 has, as clients check the answer against its schema.
#pragma once

#include "sandbox/ledger/options.hpp"

#include <nlohmann/json_fwd.hpp>

namespace receiptd::sandbox {

nlohmann::json runtime_config_json(const LedgerOptions& options);

}  // namespace receiptd::sandbox
