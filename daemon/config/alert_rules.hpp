// Rules between [[rule]], [[list]] and [[endpoint]], and the files of lists.
#pragma once

#include "config/report.hpp"
#include "config/settings.hpp"

#include <filesystem>
#include <istream>

namespace receiptd::config {

void check_alert_rules(const Settings& settings, const Places& places, Report& report);

// Fills the lists from their files; relative paths start at `folder`.
void read_lists(Settings& settings, const Places& places, const std::filesystem::path& folder,
                Report& report);

// One account a line, and comments behind '#'. False: a line of `file`, which the report calls `path`, is no
// account id, or there are too many.
bool read_list(AccountList& list, const std::filesystem::path& path, std::istream& file, Report& report);

}  // namespace receiptd::config
