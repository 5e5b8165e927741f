// How the host ends a call, in the words of nearcore's near-vm-logic: contracts' authors and monitors
// match on these texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace receiptd::sandbox::sim {

// Thrown through a contract by the host's functions.
struct HostError {
    std::string text;   // in outcomes: "Exceeded the prepaid gas."
    std::string debug;  // in answers to view calls: "GasExceeded"
};

// Logs and panics must be UTF-8.
bool is_utf8(std::string_view text);
// A text as Rust's {:?} shows it, in double quotes.
std::string debug_text(std::string_view text);

HostError bad_utf8();
HostError gas_exceeded();
HostError gas_limit_exceeded();
HostError balance_exceeded();
HostError integer_overflow();
HostError empty_method_name();
HostError invalid_account_id();
HostError guest_panic(const std::string& message);
HostError invalid_promise_index(std::size_t index);
HostError invalid_promise_result_index(std::size_t index);
HostError cannot_append_to_joint_promise();
HostError cannot_return_joint_promise();
HostError prohibited_in_view(const char* method_name);
HostError number_of_logs_exceeded(std::size_t limit);

// The variants with a length and a limit.
enum class Limit : std::uint8_t {
    total_log_length,
    promises,
    input_data_dependencies,
    returned_value,
    contract_size,
    storage_key,
    storage_value,
    yield_payload,
};
HostError limit_exceeded(Limit what, std::size_t length, std::size_t limit);

}  // namespace receiptd::sandbox::sim
