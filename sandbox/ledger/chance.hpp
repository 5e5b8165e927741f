// Chance as a function of where and when: no state, so that what happens at a height depends on nothing
// but the seed.
#pragma once

#include "chain/wire/hash.hpp"

#include <cstdint>

namespace receiptd::sandbox {

enum class ChanceOf : std::uint8_t { skipped_height, missing_chunk, random_value };

// A hash that follows from all of it.
chain::CryptoHash chance_hash(std::uint64_t seed, ChanceOf what, std::uint64_t height,
                              std::uint64_t place = 0);
// True with that probability.
bool happens(double probability, std::uint64_t seed, ChanceOf what, std::uint64_t height,
             std::uint64_t place = 0);

}  // namespace receiptd::sandbox
