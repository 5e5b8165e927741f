// How hosts, endpoints and the watchdog's address are reached: proxies and certificates.
#pragma once

#include "config/keys.hpp"
#include "config/report.hpp"
#include "config/secret_reader.hpp"

#include <filesystem>

namespace receiptd::config {

// Where no proxy is configured, HTTPS_PROXY, HTTP_PROXY and NO_PROXY count, or the same in small letters.
// Afterwards a proxy is one that is used; empty: none. Call when the addresses of endpoints are known.
void resolve_proxies(SecretReader& reader, Draft& draft, const Places& places, const Environment& environment,
                     Report& report);
// Relative paths start at `folder`.
void resolve_ca_files(Settings& settings, const Places& places, const std::filesystem::path& folder,
                      Report& report);

}  // namespace receiptd::config
