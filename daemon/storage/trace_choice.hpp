// Which trees leave as traces. Database threads read it while a reload changes it.
#pragma once

#include <mutex>
#include <string_view>

namespace receiptd::storage {

struct TraceRules {
    bool watched = false;
    bool failed = false;
    double sample = 0;  // share of the others, by hash

    bool none() const { return !watched && !failed && sample <= 0; }
};

// By the last 8 bytes of the trace id, as samplers of OpenTelemetry do it.
bool is_sampled(std::string_view tx_hash, double share);

class TraceChoice {
public:
    TraceRules rules() const {
        const std::lock_guard lock(mutex_);
        return rules_;
    }
    void set(const TraceRules& rules) {
        const std::lock_guard lock(mutex_);
        rules_ = rules;
    }

private:
    mutable std::mutex mutex_;
    TraceRules rules_;  // nothing leaves
};

}  // namespace receiptd::storage
