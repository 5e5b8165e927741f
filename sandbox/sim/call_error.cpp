#include "sandbox/sim/call_error.hpp"

namespace receiptd::sandbox::sim {

CallError call_error(const HostError& error) {
    return {Json{{"ExecutionError", error.text}}, "HostError(" + error.debug + ")"};
}
CallError code_does_not_exist(const std::string& account_id) {
    return {Json{{"CompilationError", {{"CodeDoesNotExist", {{"account_id", account_id}}}}}},
            "CompilationError(CodeDoesNotExist { account_id: " + debug_text(account_id) + " })"};
}
CallError code_not_runnable() {
    return {Json{{"CompilationError", {{"PrepareError", "Deserialization"}}}},
            "CompilationError(PrepareError(Deserialization))"};
}
CallError method_empty_name() {
    return {Json{{"MethodResolveError", "MethodEmptyName"}}, "MethodResolveError(MethodEmptyName)"};
}
CallError method_not_found() {
    return {Json{{"MethodResolveError", "MethodNotFound"}}, "MethodResolveError(MethodNotFound)"};
}

}  // namespace receiptd::sandbox::sim
