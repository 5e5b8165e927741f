#include "sandbox/sim/host_error.hpp"

#include <simdjson.h>

#include <array>
#include <cstdio>

namespace receiptd::sandbox::sim {

namespace {

struct LimitTexts {
    const char* variant;
    const char* length_field;
    const char* before;
    const char* between;
};

// In the order of Limit.
constexpr std::array<LimitTexts, 8> kLimitTexts{{
    {"TotalLogLengthExceeded", "length", "The length of a log message ", " exceeds the limit "},
    {"NumberPromisesExceeded", "number_of_promises", "The number of promises within a FunctionCall ",
     " exceeds the limit "},
    {"NumberInputDataDependenciesExceeded", "number_of_input_data_dependencies",
     "The number of input data dependencies ", " exceeds the limit "},
    {"ReturnedValueLengthExceeded", "length", "The length of a returned value ", " exceeds the limit "},
    {"ContractSizeExceeded", "size", "The size of a contract code in DeployContract action ",
     " exceeds the limit "},
    {"KeyLengthExceeded", "length", "The length of a storage key ", " exceeds the limit "},
    {"ValueLengthExceeded", "length", "The length of a storage value ", " exceeds the limit "},
    {"YieldPayloadLength", "length", "Yield resume payload is ", " bytes which exceeds the "},
}};

}  // namespace

bool is_utf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

std::string debug_text(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        switch (c) {
            case '"': out += "\\\""; break;
            case '\\': out += "\\\\"; break;
            case '\n': out += "\\n"; break;
            case '\r': out += "\\r"; break;
            case '\t': out += "\\t"; break;
            case '\0': out += "\\0"; break;
            default:
                if (byte < 0x20 || byte == 0x7f) {
                    std::array<char, 16> escape{};
                    std::snprintf(escape.data(), escape.size(), "\\u{%x}", byte);
                    out += escape.data();
                } else {
                    out += c;
                }
        }
    }
    return out + '"';
}

HostError bad_utf8() { return {"String encoding is bad UTF-8 sequence.", "BadUTF8"}; }
HostError gas_exceeded() { return {"Exceeded the prepaid gas.", "GasExceeded"}; }
HostError gas_limit_exceeded() {
    return {"Exceeded the maximum amount of gas allowed to burn per contract.", "GasLimitExceeded"};
}
HostError balance_exceeded() { return {"Exceeded the account balance.", "BalanceExceeded"}; }
HostError integer_overflow() { return {"Integer overflow.", "IntegerOverflow"}; }
HostError empty_method_name() { return {"Tried to call an empty method name.", "EmptyMethodName"}; }
HostError invalid_account_id() { return {"VM Logic returned an invalid account id", "InvalidAccountId"}; }

HostError guest_panic(const std::string& message) {
    return {"Smart contract panicked: " + message, "GuestPanic { panic_msg: " + debug_text(message) + " }"};
}

HostError invalid_promise_index(std::size_t index) {
    const std::string number = std::to_string(index);
    return {number + " does not correspond to existing promises",
            "InvalidPromiseIndex { promise_idx: " + number + " }"};
}

HostError invalid_promise_result_index(std::size_t index) {
    const std::string number = std::to_string(index);
    return {"Accessed invalid promise result index: " + number,
            "InvalidPromiseResultIndex { result_idx: " + number + " }"};
}

HostError cannot_append_to_joint_promise() {
    return {"Actions can only be appended to non-joint promise.", "CannotAppendActionToJointPromise"};
}
HostError cannot_return_joint_promise() {
    return {"Returning joint promise is currently prohibited.", "CannotReturnJointPromise"};
}

HostError prohibited_in_view(const char* method_name) {
    return {std::string(method_name) + " is not allowed in view calls",
            "ProhibitedInView { method_name: " + debug_text(method_name) + " }"};
}

HostError number_of_logs_exceeded(std::size_t limit) {
    const std::string number = std::to_string(limit);
    return {"The number of logs will exceed the limit " + number,
            "NumberOfLogsExceeded { limit: " + number + " }"};
}

HostError limit_exceeded(Limit what, std::size_t length, std::size_t limit) {
    const LimitTexts& texts = kLimitTexts.at(static_cast<std::size_t>(what));
    HostError error;
    error.text = texts.before + std::to_string(length) + texts.between + std::to_string(limit);
    if (what == Limit::yield_payload) error.text += " byte limit";
    error.debug = std::string(texts.variant) + " { " + texts.length_field + ": " + std::to_string(length) +
                  ", limit: " + std::to_string(limit) + " }";
    return error;
}

}  // namespace receiptd::sandbox::sim
