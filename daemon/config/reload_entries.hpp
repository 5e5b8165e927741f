// Reloads that replace the entries of a section as a whole.
#pragma once

#include "config/load.hpp"

#include <vector>

namespace receiptd::config {

std::vector<Change> reload_rules(Settings& running, const Settings& read);
std::vector<Change> reload_lists(Settings& running, const Settings& read);

}  // namespace receiptd::config
