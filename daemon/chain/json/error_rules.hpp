// The table behind classify_failure().
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace receiptd::chain {

// The enums of rpc.md §5.5.
enum class ErrorFamily : std::uint8_t {
    none,
    execution,  // TxExecutionError, the root
    action,
    transaction,  // InvalidTxError
    access_key,
    actions_validation,
    receipt_validation,
    function_call,
    compilation,
    prepare,
    method_resolve,
    wasm_trap,
    host,
    storage,
    free_text,  // FunctionCallError.ExecutionError: the text of one of the families above
};

struct ErrorRule {
    ErrorFamily family;
    std::string_view variant;
    // In a rule with `next`: a prefix for the class found there.
    std::string_view error_class;
    // "{field}" stands for the payload's field, "{}" for a payload without fields; empty: the name of
    // the variant. Of a rule with `next`: a prefix.
    std::string_view text;
    ErrorFamily next = ErrorFamily::none;  // where the payload's own variant is looked up
};

const ErrorRule* find_error_rule(ErrorFamily family, std::string_view variant);
std::span<const ErrorRule> error_rules();

// Classifies the free text of an ExecutionError by its beginning or its end.
struct ErrorTextRule {
    enum class Match : std::uint8_t { whole, start, end };
    Match match;
    std::string_view pattern;
    std::string_view error_class;
};

const ErrorTextRule* find_error_text_rule(std::string_view text);
std::span<const ErrorTextRule> error_text_rules();

}  // namespace receiptd::chain
