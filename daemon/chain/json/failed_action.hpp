// Finds the action of a batch that failed.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace receiptd::chain {

// Its place, from 0, in a TxExecutionError as receipts.error holds it; nullopt where it says none. Never
// throws for any input. Thread-safe.
std::optional<std::uint64_t> failed_action(std::string_view tx_execution_error_json);

}  // namespace receiptd::chain
