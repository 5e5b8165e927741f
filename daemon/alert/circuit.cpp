#include "alert/circuit.hpp"

#include <algorithm>

namespace receiptd::alert {

void Circuit::open(base::SteadyTime now) {
    open_ = true;
    wait_ = kFirstWait;
    probe_at_ = now + wait_;
}

void Circuit::close(base::SteadyTime now) {
    open_ = false;
    answered_at_ = now;
    failed_.clear();
}

void Circuit::probed(bool failed, base::SteadyTime now) {
    probing_ = false;
    if (!failed) return close(now);
    wait_ = std::min<std::chrono::milliseconds>(wait_ * 2, kLongestWait);
    probe_at_ = now + wait_;
}

void Circuit::tried(const std::string& alert_id, bool failed, base::SteadyTime began, base::SteadyTime now) {
    if (!failed) return close(now);
    if (open_ || began < answered_at_) return;
    failed_.insert(alert_id);
    if (failed_.size() >= kMessagesInARow) open(now);
}

}  // namespace receiptd::alert
