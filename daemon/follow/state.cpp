#include "follow/state.hpp"

#include <algorithm>

namespace receiptd::follow {
namespace {

constexpr std::chrono::hours kBeforeTheDatabase{1};
constexpr std::chrono::days kNewsFor{7};
constexpr std::chrono::seconds kHeadIsFresh{30};

}  // namespace

base::WallTime State::news_since() const {
    return std::max<base::WallTime>(heights.coverage().made_at - kBeforeTheDatabase, clock.wall() - kNewsFor);
}

base::Height State::final_height() const {
    return std::max(heights.tip() ? heights.tip()->height : 0, head.confirmed());
}

bool State::is_at_head(base::Height lag) const {
    return head.block() && heights.tip() && heights.tip()->height + lag >= head.height() &&
           clock.steady() - head.seen_at() < kHeadIsFresh;
}

}  // namespace receiptd::follow
