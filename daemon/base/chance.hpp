// Chance for waits: two daemons do not repeat their questions in step.
#pragma once

#include <random>

namespace receiptd::base {

// Uniform in [0, 1).
inline double chance() {
    thread_local std::minstd_rand generator{std::random_device{}()};
    return std::uniform_real_distribution<double>(0.0, 1.0)(generator);
}

}  // namespace receiptd::base
