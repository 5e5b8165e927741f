#pragma once

#include <nlohmann/json.hpp>

#include <iostream>

namespace receiptd::app {

// To standard output, for people and for programs: indented, in the order of its members.
inline void print_json(const nlohmann::ordered_json& json) {
    std::cout << json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
}

}  // namespace receiptd::app
