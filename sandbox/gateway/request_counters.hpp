// Counts a host's answers by method and outcome, and by API key, and shows them as Prometheus text. Keys are
// named by their place in the list of keys, never by themselves.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace receiptd::sandbox {

enum class RequestOutcome { ok, error, unauthorized, limited, fault };

class RequestCounters {
public:
    // `method`: a method or path from a closed set; `key`: as Access names it, "none" without one.
    void count(std::string_view method, std::string_view key, RequestOutcome outcome);
    // `host`: "regular" or "archival".
    std::string prometheus_text(std::string_view host) const;

private:
    using Counts = std::map<std::pair<std::string, RequestOutcome>, std::uint64_t>;
    Counts by_method_;
    Counts by_key_;
};

}  // namespace receiptd::sandbox
