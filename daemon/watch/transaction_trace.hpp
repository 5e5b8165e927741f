// A transaction as an OpenTelemetry trace: GET /v1/transactions/{hash}/trace.json, and what is exported.
// Pure.
#pragma once

#include "trace/tree_trace.hpp"
#include "watch/transaction_json.hpp"

#include <map>
#include <string>

namespace receiptd::watch {

// The trace id of its caller, else its own; 32 digits.
std::string trace_id(const TransactionView& view);

// `arguments`: JSON, by receipt.
trace::Trace transaction_trace(const TransactionView& view, const std::string& network,
                               trace::ServiceNames& services,
                               std::map<std::string, std::string> arguments = {});

// The same as the body of a request, with services of its own.
std::string transaction_trace_json(const TransactionView& view, const std::string& network);

}  // namespace receiptd::watch
