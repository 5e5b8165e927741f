// Whether a count that falls to 0 has stood still for so long that waiting for the rest is of no use now.
#pragma once

#include "base/clock.hpp"

#include <cstdint>
#include <optional>

namespace receiptd::follow {

class Standstill {
public:
    explicit Standstill(base::Duration patience) : patience_(patience) {}

    bool reached_with(std::uint64_t count, base::SteadyTime now) {
        if (count != count_) {
            count_ = count;
            changed_at_ = now;
        }
        return now - changed_at_ > patience_;
    }

private:
    base::Duration patience_;
    std::optional<std::uint64_t> count_;
    base::SteadyTime changed_at_{};
};

}  // namespace receiptd::follow
