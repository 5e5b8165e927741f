// Memory is bounded by number: where there is too much, the lowest heights are given up.
#pragma once

#include "base/height_set.hpp"

#include <cstddef>
#include <vector>

namespace receiptd::chain {

// Given up are the entries up to the height returned: those beyond `most`, and an eighth of `most` for room.
// `heights`: of all entries, more than `most`.
base::Height given_up_to(std::vector<base::Height> heights, std::size_t most);

}  // namespace receiptd::chain
