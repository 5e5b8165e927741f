#pragma once

#include "base/exact_json.hpp"

#include <iostream>

namespace receiptd::app {

// To standard output, for people and for programs: indented, in the order of its members.
inline void print_json(const nlohmann::ordered_json& json) { std::cout << base::write_json(json, 2) << '\n'; }

}  // namespace receiptd::app
