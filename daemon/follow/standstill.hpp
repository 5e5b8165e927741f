// Whether a count that falls to 0 has not fallen for so long that waiting for the rest is of no use now.
#pragma once

#include "base/clock.hpp"

#include <cstdint>
#include <optional>

namespace receiptd::follow {

class Standstill {
public:
    explicit Standstill(base::Duration patience) : patience_(patience) {}

    bool reached_with(std::uint64_t count, base::SteadyTime now) {
        if (!count_ || count < *count_) fell_at_ = now;
        count_ = count;
        return now - fell_at_ > patience_;
    }
    void begin_anew() { count_.reset(); }

private:
    base::Duration patience_;
    std::optional<std::uint64_t> count_;
    base::SteadyTime fell_at_{};
};

}  // namespace receiptd::follow
