#include "config/traces.hpp"

#include "config/parse.hpp"

#include <string>
#include <utility>

namespace receiptd::config {

void resolve_trace_headers(SecretReader& reader, Draft& draft, const Places& places, Report& report) {
    auto secret = reader.read("traces.headers", draft.trace_headers, Lines::several);
    if (!secret) return;
    const std::string key = draft.trace_headers.env.empty() ? "traces.headers_file" : "traces.headers_env";
    if (const auto fault = headers_fault(secret->reveal()))
        return report.error(places.find(key), key + ": " + *fault);
    const auto& url = draft.settings.traces.otlp_url;
    if (url.starts_with("http://") && !is_loopback_host(url_host(url)))
        report.warning(places.find(key), key + ": everybody on the way can read the headers; use https://");
    draft.settings.traces.headers = std::move(*secret);
}

}  // namespace receiptd::config
