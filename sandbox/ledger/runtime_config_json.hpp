// `runtime_config` of EXPERIMENTAL_protocol_config (rpc.md §7.4): the sandbox's fees and limits, and
// every other member of the protocol version, because clients check the answer against its schema.
#pragma once

#include "sandbox/ledger/options.hpp"

#include <nlohmann/json_fwd.hpp>

namespace receiptd::sandbox {

nlohmann::json runtime_config_json(const LedgerOptions& options, const sim::Protocol& protocol);

}  // namespace receiptd::sandbox
