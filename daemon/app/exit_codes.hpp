// The exit codes of all commands, told in one place.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace receiptd::app {

// Lines for the help of a command: "Exit codes:" and those that it has.
std::string exit_codes_of(std::string_view command);

// All of them: "10" and what it means, by command where that differs.
std::vector<std::pair<std::string, std::string>> all_exit_codes();

}  // namespace receiptd::app
