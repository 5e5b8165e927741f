// API keys and rate limits of one host (gateway.md §5, §8).
#pragma once

#include "base/clock.hpp"
#include "base/secret.hpp"
#include "base/token_bucket.hpp"
#include "net/http_server.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::sandbox {

struct AccessOptions {
    std::vector<base::Secret> api_keys;  // empty: any key is accepted
    bool require_key = false;
    double requests_per_second = 0;  // per key; 0: no limit
    // Share of that rate for all keyless requests together.
    double keyless_share = 1;
};

// How a request was let in, or why not.
struct Admission {
    // "1" for the first of the configured keys, "any" where none are configured, "none" without a key,
    // "wrong" with an unknown one.
    std::string key = "none";
    std::optional<net::ServerReply> refusal;  // 401 or 429
};

class Access {
public:
    // The clock must outlive it.
    Access(AccessOptions options, const base::Clock& clock) : options_(std::move(options)), clock_(clock) {}

    // Counts the request against its limit.
    Admission admit(const net::ServerRequest& request);

private:
    // Its name as in Admission; nullopt: not a valid key.
    std::optional<std::string> name_of(const std::string& key) const;
    std::optional<net::ServerReply> limit(const std::string& name);

    AccessOptions options_;
    const base::Clock& clock_;
    // One bucket for each configured key, by name, and one for requests without a key. If no keys are
    // configured, all keys share one bucket, because anybody could invent keys without end.
    std::map<std::string, base::TokenBucket> buckets_;
};

// 429 with the wait in whole seconds.
net::ServerReply too_many_requests(std::optional<base::Duration> wait);

}  // namespace receiptd::sandbox
