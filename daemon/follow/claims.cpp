#include "follow/claims.hpp"

namespace receiptd::follow {

bool Claims::has_neighbour_in_flight() const {
    const auto below = from_ > 0 ? from_ - 1 : 0;
    return !heights_.in_flight().within({below, to_.value_or(below) + 1}).empty();
}

void Claims::claim_range() {
    if (to_) claim(still_missing(base::HeightSet({from_, *to_})));
}

void Claims::claim(base::Height height) {
    if (!to_) claim(base::HeightSet({height, height}));
}

void Claims::claim(const base::HeightSet& heights) {
    claimed_.add(heights);
    heights_.claim(heights, to_.has_value());
}

bool Claims::mine(base::Height height) const {
    if (to_ || claimed_.contains(height)) return claimed_.contains(height);
    return !heights_.stored(height) && !heights_.in_flight().contains(height);
}

base::HeightSet Claims::still_missing(const base::HeightSet& heights) const {
    auto missing = heights;
    missing.subtract(heights_.coverage().covered);
    auto others = heights_.in_flight();
    others.subtract(claimed_);
    missing.subtract(others);
    if (from_ > 0) missing.subtract({0, from_ - 1});
    return missing;
}

void Claims::give_up(base::Height height) {
    const base::HeightSet one({height, height});
    claimed_.subtract(one);
    heights_.release(one);
}

}  // namespace receiptd::follow
