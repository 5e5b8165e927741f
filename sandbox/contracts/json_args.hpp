// Arguments and return values of contracts as near-sdk reads and writes them: JSON, with its panic
// texts word for word, but without the "at line 1 column 23" of a place in the text.
#pragma once

#include "sandbox/sim/host.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace receiptd::sandbox::contracts {

using sim::Bytes;
using sim::Gas;
using sim::Host;
using sim::Json;
using sim::u128;
// Members in the order in which they are written, as serde has them.
using OrderedJson = nlohmann::ordered_json;

// serde_json's bound; what nests deeper is refused before it is parsed.
inline constexpr std::size_t kMaxJsonDepth = 127;

// After Host::panic at the end of a function that does not return: g++ does not believe the attribute of
// a virtual one.
[[noreturn]] void throw_returned_panic();

// nullopt: not JSON (RFC 8259, UTF-8), or nested too deep.
std::optional<Json> parse_json(std::string_view text);

Bytes to_bytes(std::string_view text);
// Compact, as serde_json writes.
Bytes json_bytes(const Json& value);
Bytes json_bytes(const OrderedJson& value);
void return_json(Host& host, const OrderedJson& value);
// U128 and U64 are strings in JSON.
std::string amount_text(u128 amount);

// The input of a method with arguments. Every reader panics as near-sdk does where the argument does not
// fit; members nobody reads are ignored.
class Args {
public:
    explicit Args(Host& host);

    std::string account(const char* name) const;
    std::string text(const char* name) const;
    u128 amount(const char* name) const;  // a decimal string
    // Any JSON.
    const Json& value(const char* name) const;

    // Missing and null are the same here.
    std::optional<std::string> optional_account(const char* name) const;
    std::optional<std::string> optional_text(const char* name) const;
    std::optional<u128> optional_amount(const char* name) const;
    std::optional<bool> optional_bool(const char* name) const;
    const Json* optional_value(const char* name) const;

private:
    [[noreturn]] void fail(const std::string& error) const;
    const Json& required(const char* name) const;
    std::string read_text(const Json& value) const;
    std::string read_account(const Json& value) const;
    u128 read_amount(const Json& value) const;

    Host& host_;
    Json input_;
};

// near-sdk makes these checks before a method runs.
void assert_one_yocto(Host& host);
void assert_no_deposit(Host& host, std::string_view method_name);
void assert_private(Host& host, std::string_view method_name);

}  // namespace receiptd::sandbox::contracts
