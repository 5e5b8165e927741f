// Faults of ids that people write. Each is the end of a sentence; nullopt: there is none.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace receiptd::base {

std::optional<std::string> account_fault(std::string_view account_id);
// Names that people give to endpoints, rules, lists and other things.
std::optional<std::string> name_fault(std::string_view name);

}  // namespace receiptd::base
