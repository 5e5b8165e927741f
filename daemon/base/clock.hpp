// Time as a parameter: code that waits or stamps takes a Clock, so that tests own the time.
#pragma once

#include <chrono>

namespace receiptd::base {

using Duration = std::chrono::nanoseconds;
using WallTime = std::chrono::sys_time<Duration>;
using SteadyTime = std::chrono::time_point<std::chrono::steady_clock, Duration>;

class Clock {
public:
    virtual ~Clock() = default;
    virtual WallTime wall() const = 0;      // for people and rows, may jump
    virtual SteadyTime steady() const = 0;  // for waiting and measuring, never goes back
};

class SystemClock final : public Clock {
public:
    WallTime wall() const override { return std::chrono::system_clock::now(); }
    SteadyTime steady() const override { return std::chrono::steady_clock::now(); }
};

}  // namespace receiptd::base
