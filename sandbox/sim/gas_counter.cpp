#include "sandbox/sim/gas_counter.hpp"

#include "sandbox/sim/host_error.hpp"

#include <algorithm>

namespace receiptd::sandbox::sim {

void GasCounter::take(Gas burn, Gas promise) {
    Gas burnt = 0;
    Gas promised = 0;
    Gas used = 0;
    if (__builtin_add_overflow(burnt_, burn, &burnt) ||
        __builtin_add_overflow(promised_, promise, &promised) ||
        __builtin_add_overflow(burnt, promised, &used)) {
        throw integer_overflow();
    }
    if (burnt <= max_burnt_ && used <= prepaid_) {
        burnt_ = burnt;
        promised_ = promised;
        return;
    }
    const Gas promised_before = promised_;
    burnt_ = std::min({burnt, prepaid_, max_burnt_});
    promised_ = std::min(prepaid_, used) - burnt_;
    // A contract burns gas in small steps, so that the lower limit is the one it meets; at the same
    // place nearcore names the limit of one contract.
    throw burnt > max_burnt_ && max_burnt_ <= prepaid_ - promised_before ? gas_limit_exceeded()
                                                                         : gas_exceeded();
}

}  // namespace receiptd::sandbox::sim
