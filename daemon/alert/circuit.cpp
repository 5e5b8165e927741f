#include "alert/circuit.hpp"

#include <algorithm>

namespace receiptd::alert {

void Circuit::open(base::SteadyTime now) {
    open_ = true;
    wait_ = kFirstWait;
    probe_at_ = now + wait_;
}

std::chrono::milliseconds Circuit::probed(bool failed, base::SteadyTime now) {
    probing_ = false;
    if (!failed) {
        open_ = false;
        failures_ = 0;
        return {};
    }
    wait_ = std::min<std::chrono::milliseconds>(wait_ * 2, kLongestWait);
    probe_at_ = now + wait_;
    return wait_;
}

void Circuit::tried(bool failed, base::SteadyTime now) {
    if (!failed) {
        failures_ = 0;
        open_ = false;
        return;
    }
    if (++failures_ >= kFailuresInARow && !open_) open(now);
}

}  // namespace receiptd::alert
