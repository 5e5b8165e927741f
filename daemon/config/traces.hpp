// The secret of [traces].
#pragma once

#include "config/keys.hpp"
#include "config/report.hpp"
#include "config/secret_reader.hpp"

namespace receiptd::config {

void resolve_trace_headers(SecretReader& reader, Draft& draft, const Places& places, Report& report);

}  // namespace receiptd::config
