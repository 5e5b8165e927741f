// Chance that is the same on every machine: SplitMix64.
#pragma once

#include <cstdint>

namespace receiptd::sandbox::traffic {

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15U;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31U);
    }
    // 0 … bound-1; the bias is below 2^-32 for the small bounds used here.
    std::uint64_t below(std::uint64_t bound) { return next() % bound; }
    std::uint64_t between(std::uint64_t least, std::uint64_t most) { return least + below(most - least + 1); }

private:
    std::uint64_t state_;
};

}  // namespace receiptd::sandbox::traffic
