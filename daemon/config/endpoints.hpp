// Rules between the keys of [[endpoint]], and the secrets of its entries.
#pragma once

#include "config/keys.hpp"
#include "config/report.hpp"
#include "config/secret_reader.hpp"

namespace receiptd::config {

// Where `group` is not given: channels that people read have groups; a program may want each alert.
void spare_people(Draft& draft, const Places& places);

void check_endpoint_keys(const Settings& settings, const Places& places, Report& report);

void resolve_endpoint_secrets(SecretReader& reader, Draft& draft, const Places& places, Report& report);

}  // namespace receiptd::config
