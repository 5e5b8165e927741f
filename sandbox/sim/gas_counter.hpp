// The gas of one function call: burnt, and promised to the receipts it makes (nearcore's gas counter).
#pragma once

#include "sandbox/sim/model.hpp"

namespace receiptd::sandbox::sim {

class GasCounter {
public:
    // `prepaid`: attached to the call; `max_burnt`: what one call may burn at all.
    GasCounter(Gas prepaid, Gas max_burnt) : prepaid_(prepaid), max_burnt_(max_burnt) {}

    // Takes `burn + promise`. Throws HostError if less gas is left; burnt() then includes `burn`,
    // but never more than was paid for.
    void take(Gas burn, Gas promise);

    Gas prepaid() const { return prepaid_; }
    Gas burnt() const { return burnt_; }
    Gas used() const { return burnt_ + promised_; }

private:
    Gas prepaid_;
    Gas max_burnt_;
    Gas burnt_ = 0;
    Gas promised_ = 0;
};

}  // namespace receiptd::sandbox::sim
