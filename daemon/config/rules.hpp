// Checks the rules between keys, and replaces the names of secrets' places by their values.
#pragma once

#include "config/keys.hpp"
#include "config/report.hpp"

#include <filesystem>

namespace receiptd::config {

void check_rules(const Draft& draft, const Places& places, Report& report);
// In a file that everybody may read.
void check_keys_in_urls(const Settings& settings, const Places& places, Report& report);
// A part of check_rules(): the names of endpoints, alert rules and lists.
void check_alert_names(const Draft& draft, const Places& places, Report& report);

// Relative paths of secrets' files start at `folder`.
void resolve_secrets(Draft& draft, const Places& places, const std::filesystem::path& folder,
                     const Environment& environment, Report& report);

}  // namespace receiptd::config
