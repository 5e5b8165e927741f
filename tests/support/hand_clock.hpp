// A clock that a test moves.
#pragma once

#include "base/clock.hpp"

namespace receiptd::base {

class HandClock final : public Clock {
public:
    WallTime wall() const override { return WallTime(std::chrono::seconds(1'800'000'000)) + passed; }
    SteadyTime steady() const override { return SteadyTime(std::chrono::seconds(1'000)) + passed; }

    Duration passed{0};
};

}  // namespace receiptd::base
