#include "rpc/spending.hpp"

#include <algorithm>

namespace receiptd::rpc {

void Spending::note(Priority purpose, base::SteadyTime now) {
    const auto step = step_of(now);
    steps_.erase(steps_.begin(), steps_.upper_bound(step - kSteps));
    ++steps_[step][static_cast<std::size_t>(purpose)];
}

std::map<Priority, std::uint64_t> Spending::last_day(base::SteadyTime now) const {
    std::map<Priority, std::uint64_t> requests;
    for (auto step = steps_.upper_bound(step_of(now) - kSteps); step != steps_.end(); ++step)
        for (std::size_t i = 0; i < kPurposes; ++i)
            if (step->second[i] > 0) requests[static_cast<Priority>(i)] += step->second[i];
    return requests;
}

base::Duration Spending::span(base::SteadyTime now) const {
    const auto first = std::max<std::int64_t>(0, step_of(now) - kSteps + 1);
    return now - since_ - first * kStep;
}

std::uint64_t Spending::a_day(base::SteadyTime now) const {
    constexpr std::int64_t kHour = 12;
    constexpr auto kDay = std::chrono::hours(24);
    const auto first = std::max<std::int64_t>(0, step_of(now) - kHour);
    std::uint64_t requests = 0;
    for (auto step = steps_.lower_bound(first); step != steps_.end(); ++step)
        for (const auto count : step->second) requests += count;
    const auto span = std::max<base::Duration>(now - since_ - first * kStep, std::chrono::seconds(1));
    const auto days = std::chrono::duration<double>(kDay) / std::chrono::duration<double>(span);
    return static_cast<std::uint64_t>(static_cast<double>(requests) * days + 0.5);
}

}  // namespace receiptd::rpc
