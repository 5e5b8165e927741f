#include "sandbox/contracts/json_args.hpp"

#include "chain/wire/account_id.hpp"
#include "chain/wire/bytes.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <stdexcept>

namespace receiptd::sandbox::contracts {

namespace {

// Brackets outside strings; right for JSON, and for anything else at least a bound.
std::size_t nesting_depth(std::string_view text) {
    std::size_t depth = 0;
    std::size_t deepest = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string) {
            if (c == '\\') ++i;
            if (c == '"') in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '[' || c == '{') {
            deepest = std::max(deepest, ++depth);
        } else if ((c == ']' || c == '}') && depth > 0) {
            --depth;
        }
    }
    return deepest;
}

// serde's name of an unexpected value.
std::string unexpected(const Json& value) {
    switch (value.type()) {
        case Json::value_t::null: return "null";
        case Json::value_t::boolean: return "boolean `" + value.dump() + "`";
        case Json::value_t::number_integer:
        case Json::value_t::number_unsigned: return "integer `" + value.dump() + "`";
        case Json::value_t::number_float: return "floating point `" + value.dump() + "`";
        case Json::value_t::string: return "string " + value.dump();
        case Json::value_t::array: return "sequence";
        default: return "map";
    }
}

std::string account_id_error(std::string_view id) {
    if (id.size() < chain::kMinAccountIdSize) return "the Account ID is too short";
    if (id.size() > chain::kMaxAccountIdSize) return "the Account ID is too long";
    const auto is_separator = [](char c) { return c == '-' || c == '_' || c == '.'; };
    for (std::size_t i = 0; i < id.size(); ++i) {
        const char c = id[i];
        const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (!letter && !is_separator(c)) {
            // The whole character, which may be several bytes.
            std::size_t end = i + 1;
            while (end < id.size() && (static_cast<unsigned char>(id[end]) & 0xC0U) == 0x80U) ++end;
            return "the Account ID contains an invalid character '" + std::string(id.substr(i, end - i)) +
                   "' at index " + std::to_string(i);
        }
        const bool redundant = is_separator(c) && (i == 0 || i + 1 == id.size() || is_separator(id[i - 1]));
        if (redundant) {
            return "the Account ID has a redundant separator '" + std::string(1, c) + "' at index " +
                   std::to_string(i);
        }
    }
    return "the Account ID is invalid";
}

// std::num::ParseIntError of Rust.
std::string integer_error(std::string_view text) {
    if (text.empty()) return "cannot parse integer from empty string";
    const bool digits = std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    return digits ? "number too large to fit in target type" : "invalid digit found in string";
}

}  // namespace

void throw_returned_panic() { throw std::logic_error("Host::panic returned"); }

std::optional<Json> parse_json(std::string_view text) {
    if (nesting_depth(text) > kMaxJsonDepth) return std::nullopt;
    Json value = Json::parse(text, nullptr, false);
    if (value.is_discarded()) return std::nullopt;
    return value;
}

Bytes to_bytes(std::string_view text) { return {text.begin(), text.end()}; }
Bytes json_bytes(const Json& value) { return to_bytes(value.dump()); }
Bytes json_bytes(const OrderedJson& value) { return to_bytes(value.dump()); }
void return_json(Host& host, const OrderedJson& value) { host.return_value(json_bytes(value)); }
std::string amount_text(u128 amount) { return base::to_string(amount); }

Args::Args(Host& host) : host_(host) {
    const std::string_view text = chain::text_of(host.input());
    if (text.empty()) fail("EOF while parsing a value");
    if (nesting_depth(text) > kMaxJsonDepth) fail("recursion limit exceeded");
    auto parsed = parse_json(text);
    if (!parsed) fail("expected value");
    input_ = std::move(*parsed);
    if (!input_.is_object()) fail("invalid type: " + unexpected(input_) + ", expected struct Input");
}

void Args::fail(const std::string& error) const {
    host_.panic("Failed to deserialize input from JSON. Error: `" + error + "`");
    throw_returned_panic();
}

const Json& Args::required(const char* name) const {
    const auto found = input_.find(name);
    if (found == input_.end()) fail(std::string("missing field `") + name + "`");
    return *found;
}

const Json* Args::optional_value(const char* name) const {
    const auto found = input_.find(name);
    return found == input_.end() || found->is_null() ? nullptr : &*found;
}

const Json& Args::value(const char* name) const { return required(name); }

std::string Args::read_text(const Json& value) const {
    if (!value.is_string()) fail("invalid type: " + unexpected(value) + ", expected a string");
    return value.get<std::string>();
}

std::string Args::read_account(const Json& value) const {
    std::string id = read_text(value);
    if (!chain::is_valid_account_id(id))
        fail("invalid value: " + Json(id).dump() + ", " + account_id_error(id));
    return id;
}

u128 Args::read_amount(const Json& value) const {
    const std::string text = read_text(value);
    const auto amount = base::parse_u128(text);
    if (!amount) fail(integer_error(text));
    return *amount;
}

std::string Args::account(const char* name) const { return read_account(required(name)); }
std::string Args::text(const char* name) const { return read_text(required(name)); }
u128 Args::amount(const char* name) const { return read_amount(required(name)); }

std::optional<std::string> Args::optional_account(const char* name) const {
    const Json* value = optional_value(name);
    return value ? std::optional(read_account(*value)) : std::nullopt;
}

std::optional<std::string> Args::optional_text(const char* name) const {
    const Json* value = optional_value(name);
    return value ? std::optional(read_text(*value)) : std::nullopt;
}

std::optional<u128> Args::optional_amount(const char* name) const {
    const Json* value = optional_value(name);
    return value ? std::optional(read_amount(*value)) : std::nullopt;
}

std::optional<bool> Args::optional_bool(const char* name) const {
    const Json* value = optional_value(name);
    if (value == nullptr) return std::nullopt;
    if (!value->is_boolean()) fail("invalid type: " + unexpected(*value) + ", expected a boolean");
    return value->get<bool>();
}

void assert_one_yocto(Host& host) {
    if (host.attached_deposit() != 1) host.panic("Requires attached deposit of exactly 1 yoctoNEAR");
}

void assert_no_deposit(Host& host, std::string_view method_name) {
    if (host.attached_deposit() == 0) return;
    host.panic("Method " + std::string(method_name) + " doesn't accept deposit");
}

void assert_private(Host& host, std::string_view method_name) {
    if (host.current_account_id() == host.predecessor_id()) return;
    host.panic("Method " + std::string(method_name) + " is private");
}

}  // namespace receiptd::sandbox::contracts
