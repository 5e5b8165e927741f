// The newest final block that the source has told.
#pragma once

#include "base/clock.hpp"
#include "base/event.hpp"
#include "base/height_set.hpp"
#include "chain/rows/rows.hpp"
#include "metrics/follow_series.hpp"

#include <optional>

namespace receiptd::follow {

class Head {
public:
    Head(metrics::FollowSeries& series, const base::Clock& clock) : series_(series), clock_(clock) {}

    const std::optional<chain::BlockRef>& block() const { return block_; }
    base::Height height() const { return block_ ? block_->height : 0; }  // 0: not known
    base::SteadyTime seen_at() const { return seen_at_; }
    // A lower block than the known one changes nothing.
    void learn(const chain::BlockRef& block);

    base::Signal moved;

private:
    metrics::FollowSeries& series_;
    const base::Clock& clock_;
    std::optional<chain::BlockRef> block_;
    base::SteadyTime seen_at_{};
};

}  // namespace receiptd::follow
