// JSON of others read and written again: every number keeps its digits. Instead of parse() and dump() of
// nlohmann/json, which make doubles of what is larger than 64 bits or has a fraction.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace receiptd::base {

// Discarded where it is no JSON. A number that its type of 64 bits would change is of type binary and holds
// its digits: is_number() is false for it.
nlohmann::ordered_json read_json(std::string_view text);

// Bytes that are no UTF-8 are replaced.
std::string write_json(const nlohmann::ordered_json& json, int indent = -1);
std::string write_json(const nlohmann::json& json, int indent = -1);

// Nearest double of any number; nullopt: it is none.
std::optional<double> number_in(const nlohmann::ordered_json& json);

}  // namespace receiptd::base
