// A token bucket as a pure value: how many requests may start now, and when the next may.
#pragma once

#include "base/clock.hpp"

#include <algorithm>
#include <cmath>

namespace receiptd::base {

class TokenBucket {
public:
    // `per_second` tokens flow in, at most `burst` are kept; the bucket starts full.
    // per_second <= 0 means no limit.
    TokenBucket(double per_second, double burst, SteadyTime now)
        : per_second_(per_second), burst_(std::max(1.0, burst)), tokens_(burst_), filled_at_(now) {}

    // Takes one token and returns zero, or takes nothing and returns how long to wait for one.
    Duration take(SteadyTime now) {
        if (per_second_ <= 0) return Duration::zero();
        fill(now);
        if (now < blocked_until_) return blocked_until_ - now;
        if (tokens_ >= 1.0) {
            tokens_ -= 1.0;
            return Duration::zero();
        }
        return Duration(static_cast<Duration::rep>(std::ceil((1.0 - tokens_) / per_second_ * 1e9)));
    }

    // The host said "not before": nothing is given out until then (Retry-After).
    void block_until(SteadyTime until) { blocked_until_ = std::max(blocked_until_, until); }

    double available(SteadyTime now) {
        fill(now);
        return now < blocked_until_ ? 0.0 : tokens_;
    }
    double per_second() const { return per_second_; }

private:
    void fill(SteadyTime now) {
        if (now <= filled_at_) return;
        const double seconds = static_cast<double>((now - filled_at_).count()) / 1e9;
        tokens_ = std::min(burst_, tokens_ + seconds * std::max(0.0, per_second_));
        filled_at_ = now;
    }

    double per_second_;
    double burst_;
    double tokens_;
    SteadyTime filled_at_;
    SteadyTime blocked_until_{};
};

}  // namespace receiptd::base
