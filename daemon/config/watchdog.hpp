// Rules of [watchdog], and its secret.
#pragma once

#include "config/keys.hpp"
#include "config/report.hpp"
#include "config/secret_reader.hpp"

namespace receiptd::config {

void check_watchdog(const Settings& settings, const Places& places, Report& report);

void resolve_ping_url(SecretReader& reader, Draft& draft, const Places& places, Report& report);

}  // namespace receiptd::config
