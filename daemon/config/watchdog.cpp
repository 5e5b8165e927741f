#include "config/watchdog.hpp"

#include "config/parse.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::config {

void check_watchdog(const Settings& settings, const Places& places, Report& report) {
    const auto& name = settings.watchdog.endpoint;
    const auto is_it = [&name](const Endpoint& endpoint) { return endpoint.name == name; };
    if (!name.empty() && std::none_of(settings.endpoints.begin(), settings.endpoints.end(), is_it))
        report.error(places.find("watchdog.endpoint"),
                     "watchdog.endpoint: there is no [[endpoint]] with the name \"" + name + "\"");
}

void resolve_ping_url(SecretReader& reader, Draft& draft, const Places& places, Report& report) {
    auto secret = reader.read("watchdog.ping_url", draft.ping_url);
    if (!secret) return;
    const auto& url = secret->reveal();
    const std::string key = draft.ping_url.env.empty() ? "watchdog.ping_url_file" : "watchdog.ping_url_env";
    if (url_fault(url))
        return report.error(places.find(key), key + ": the value is no address: https://HOST/PATH");
    if (url.starts_with("http://") && !is_loopback_host(url_host(url)))
        report.warning(places.find(key), key + ": everybody on the way can read the address; use https://");
    draft.settings.watchdog.ping_url = std::move(*secret);
}

}  // namespace receiptd::config
