#include "base/id_faults.hpp"

#include <algorithm>

namespace receiptd::base {
namespace {

bool is_small_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

}  // namespace

std::optional<std::string> account_fault(std::string_view account_id) {
    if (account_id.size() < 2 || account_id.size() > 64)
        return "has " + std::to_string(account_id.size()) + " bytes; an account id has 2 to 64";
    bool separator = true;
    for (const char c : account_id) {
        const bool is_separator = c == '.' || c == '_' || c == '-';
        if (!is_separator && !is_small_or_digit(c)) return "may hold only a-z, 0-9 and the separators . _ -";
        if (is_separator && separator) return "has a separator (. _ -) at its start or after another one";
        separator = is_separator;
    }
    if (separator) return "ends in a separator";
    return std::nullopt;
}

std::optional<std::string> name_fault(std::string_view name) {
    const auto good = [](char c) { return is_small_or_digit(c) || c == '_' || c == '-'; };
    if (name.empty() || name.size() > 40 || !std::all_of(name.begin(), name.end(), good))
        return "must be 1 to 40 of a-z, 0-9, _ and -";
    return std::nullopt;
}

}  // namespace receiptd::base
