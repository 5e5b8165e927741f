// Time and randomness as one parameter: whoever waits or draws lots here takes it, so that tests
// own both.
#pragma once

#include "base/chance.hpp"
#include "base/clock.hpp"
#include "base/event.hpp"
#include "base/sleep.hpp"
#include "base/task.hpp"

#include <boost/asio/steady_timer.hpp>

namespace receiptd::rpc {

class TimeAndChance {
public:
    virtual ~TimeAndChance() = default;
    virtual base::SteadyTime now() const = 0;
    virtual base::WallTime wall() const = 0;
    // Ends early, quietly, when `timer` is cancelled.
    virtual base::Task<void> sleep(base::asio::steady_timer& timer, base::Duration delay) = 0;
    virtual double chance() = 0;  // uniform in [0, 1)
};

class RealTimeAndChance final : public TimeAndChance {
public:
    explicit RealTimeAndChance(base::Clock& clock) : clock_(clock) {}

    base::SteadyTime now() const override { return clock_.steady(); }
    base::WallTime wall() const override { return clock_.wall(); }
    base::Task<void> sleep(base::asio::steady_timer& timer, base::Duration delay) override {
        return base::sleep_on(timer, delay);
    }
    double chance() override { return base::chance(); }

private:
    base::Clock& clock_;
};

}  // namespace receiptd::rpc
