// Errors of contract calls in views: the text that `query` tells, taken apart into nearcore's
// FunctionCallError (rpc.md §5.5, §6.2).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string_view>

namespace receiptd::sandbox {

// "wasm execution failed with error: MethodResolveError(MethodNotFound)" ->
// {"MethodResolveError":"MethodNotFound"}; what has another form becomes {"ExecutionError": text}.
nlohmann::json function_call_error(std::string_view text);

}  // namespace receiptd::sandbox
