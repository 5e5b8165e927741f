#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace receiptd::storage {

// The names that follow `before` in SQL: {"blocks", "chunks"} for "CREATE TABLE ".
std::vector<std::string> names_after(std::string_view before, std::string_view sql);
// A name has letters, digits and _.
bool is_name(std::string_view text);

}  // namespace receiptd::storage
