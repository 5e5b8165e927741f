// The heights that one run works on, while other runs work on others.
#pragma once

#include "base/height_set.hpp"
#include "follow/heights.hpp"

#include <optional>

namespace receiptd::follow {

class Claims {
public:
    // A run with an end claims all its heights at once, a run along the head (`to`: none) one by one.
    Claims(Heights& heights, base::Height from, std::optional<base::Height> to)
        : heights_(heights), from_(from), to_(to) {}

    bool has_neighbour_in_flight() const;
    void claim_range();  // of a run with an end
    void claim(base::Height height);
    // Claimed, or still to be claimed by the run along the head.
    bool mine(base::Height height) const;
    // Without heights that are stored, below the run, or in another run's work.
    base::HeightSet still_missing(const base::HeightSet& heights) const;
    void give_up(base::Height height);
    void written() { heights_.written(claimed_); }
    void release() { heights_.release(claimed_); }

private:
    void claim(const base::HeightSet& heights);

    Heights& heights_;
    base::Height from_;
    std::optional<base::Height> to_;
    base::HeightSet claimed_;
};

}  // namespace receiptd::follow
