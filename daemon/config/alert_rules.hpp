// Rules between [[rule]], [[list]] and [[endpoint]], and the files of lists.
#pragma once

#include "config/report.hpp"
#include "config/settings.hpp"

#include <filesystem>

namespace receiptd::config {

void check_alert_rules(const Settings& settings, const Places& places, Report& report);

// Fills the lists from their files; relative paths start at `folder`.
void read_lists(Settings& settings, const Places& places, const std::filesystem::path& folder,
                Report& report);

}  // namespace receiptd::config
