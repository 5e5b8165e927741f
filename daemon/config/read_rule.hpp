// One [[rule]], with all that nests in it. Only reader.cpp includes this: toml++ is heavy.
#pragma once

#include "config/report.hpp"
#include "config/settings.hpp"

#include <toml++/toml.h>

#include <string>

namespace receiptd::config {

// The rule; of one that is refused, what could be read of it. Sets the place of every table, value and list
// item below `path`, "rule[0]".
AlertRule read_rule(const toml::table& table, const std::string& path, Places& places, Report& report);

}  // namespace receiptd::config
