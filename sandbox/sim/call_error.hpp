// Why a function call failed.
#pragma once

#include "sandbox/sim/host_error.hpp"
#include "sandbox/sim/model.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace receiptd::sandbox::sim {

// A FunctionCallError (rpc.md §5.5).
struct CallError {
    Json kind;          // {"ExecutionError":"Exceeded the prepaid gas."}
    std::string debug;  // "HostError(GasExceeded)"
};

CallError call_error(const HostError& error);
CallError code_does_not_exist(const std::string& account_id);
CallError code_not_runnable();
CallError method_empty_name();
CallError method_not_found();

}  // namespace receiptd::sandbox::sim
