// How many requests a host was asked in the last day, and for what. Pure.
#pragma once

#include "base/clock.hpp"
#include "rpc/source.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <map>

namespace receiptd::rpc {

class Spending {
public:
    explicit Spending(base::SteadyTime now) : since_(now) {}

    void note(Priority purpose, base::SteadyTime now);

    // Requests of the last day, or since the start, by purpose.
    std::map<Priority, std::uint64_t> last_day(base::SteadyTime now) const;
    base::Duration span(base::SteadyTime now) const;  // the time that last_day() is about
    // At the pace of the last hour, or of the time since the start.
    std::uint64_t a_day(base::SteadyTime now) const;

private:
    static constexpr std::size_t kPurposes = 5;
    static constexpr base::Duration kStep = std::chrono::minutes(5);
    static constexpr std::int64_t kSteps = 24 * 12;

    std::int64_t step_of(base::SteadyTime time) const { return (time - since_) / kStep; }

    base::SteadyTime since_;
    std::map<std::int64_t, std::array<std::uint64_t, kPurposes>> steps_;  // those of the last day
};

}  // namespace receiptd::rpc
