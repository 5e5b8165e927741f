// Who may ask, and how often: API keys and rate limits of one host (gateway.md §5, §8).
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
    double requests_per_second = 0;  // per key; all keyless requests together count as one; 0: no limit
};

class Access {
public:
    // The clock must outlive it.
    Access(AccessOptions options, const base::Clock& clock) : options_(std::move(options)), clock_(clock) {}

    // The answer that refuses the request, or nullopt if it may pass. Counts it.
    std::optional<net::ServerReply> refuse(const net::ServerRequest& request);

private:
    bool known(const std::string& key) const;
    std::optional<net::ServerReply> limit(const std::string& caller);

    AccessOptions options_;
    const base::Clock& clock_;
    // A key that is refused gets no bucket, so there are as many as keys, and one.
    std::map<std::string, base::TokenBucket> buckets_;
};

// 429 with the wait in whole seconds.
net::ServerReply too_many_requests(std::optional<base::Duration> wait);

}  // namespace receiptd::sandbox
