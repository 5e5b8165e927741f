// TOML text to a Draft by the key table alone; what depends on several keys is in rules.hpp.
#pragma once

#include "config/keys.hpp"
#include "config/report.hpp"

#include <string_view>

namespace receiptd::config {

struct ReadFile {
    Draft draft;
    Places places;
    bool parsed = false;  // false: the text is no TOML, and the report says where
};
enum class Part { all, rules };  // rules: the sections that config/load_rules.hpp names, none required
ReadFile read_toml(std::string_view text, Report& report, Part part = Part::all);

}  // namespace receiptd::config
