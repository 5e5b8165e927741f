// The newest final block that a host has told: a hint where to look, not a fact.
#pragma once

#include "base/clock.hpp"
#include "base/event.hpp"
#include "base/height_set.hpp"
#include "chain/rows/rows.hpp"
#include "metrics/follow_series.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

namespace receiptd::follow {

class Head {
public:
    Head(metrics::FollowSeries& series, const base::Clock& clock) : series_(series), clock_(clock) {}

    const std::optional<chain::BlockRef>& block() const { return block_; }
    base::Height height() const { return block_ ? block_->height : 0; }  // 0: not known
    base::SteadyTime seen_at() const { return seen_at_; }
    // When the head was seen to have come to this height. The last thousand advances are remembered: what
    // came before is as old as the first of them. nullopt: it has not come so far.
    std::optional<base::SteadyTime> seen_at(base::Height height) const;
    // A lower block than the known one changes nothing.
    void learn(const chain::BlockRef& block);

    // The told head is not believed any more; the next word counts, however low it is.
    void fall_back(std::optional<chain::BlockRef> block);

    // The highest one that hosts agree on, or that is linked to the stored blocks; 0: none.
    base::Height confirmed() const { return confirmed_; }
    void confirm(base::Height height) { confirmed_ = std::max(confirmed_, height); }

    base::Signal moved;

private:
    metrics::FollowSeries& series_;
    const base::Clock& clock_;
    std::optional<chain::BlockRef> block_;
    base::SteadyTime seen_at_{};
    struct Advance {
        base::Height height = 0;
        base::SteadyTime at{};
    };
    std::deque<Advance> advances_;  // ascending
    base::Height confirmed_ = 0;
};

}  // namespace receiptd::follow
