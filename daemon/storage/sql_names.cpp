#include "storage/sql_names.hpp"

#include <algorithm>

namespace receiptd::storage {
namespace {

constexpr std::string_view kOfNames = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

}  // namespace

std::vector<std::string> names_after(std::string_view before, std::string_view sql) {
    std::vector<std::string> names;
    for (auto at = sql.find(before); at != sql.npos; at = sql.find(before, at)) {
        at += before.size();
        const auto end = std::min(sql.find_first_not_of(kOfNames, at), sql.size());
        if (end > at) names.emplace_back(sql.substr(at, end - at));
    }
    return names;
}

bool is_name(std::string_view text) { return !text.empty() && text.find_first_not_of(kOfNames) == text.npos; }

}  // namespace receiptd::storage
