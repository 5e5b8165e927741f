#include "rule/timed.hpp"

#include <algorithm>
#include <cmath>

namespace receiptd::rule {
namespace {

// Successes older than a rule's time decide nothing, but they tell when an episode began.
constexpr base::Duration kMostCountedOn = std::chrono::hours(1);

}  // namespace

Counting go_on(std::chrono::milliseconds window, const KnownTime& known,
               const std::optional<CountedTime>& counted) {
    const auto window_from = known.until - window;
    const auto needed = std::max(known.from, window_from);
    const Counting anew{{needed, needed}, true};
    if (!counted) return anew;
    const bool is_far_behind =
        counted->until < known.until - std::max<base::Duration>(window, kMostCountedOn);
    const bool has_gap = counted->until < known.from;
    const bool is_history_there = known.from <= window_from && counted->from > window_from;
    // Only the newest of what was counted is left.
    const bool goes_back = counted->until > known.until;
    if (is_far_behind || has_gap || is_history_there || goes_back) return anew;
    return {{std::max(counted->from, known.from), counted->until}, false};
}

Judgement judge(const Absence& absence, const Successes& successes, base::Duration stood_still) {
    const auto since = successes.decisive.value_or(successes.counted.from) + absence.within + stood_still;
    if (since <= successes.counted.until) return {Judgement::Is::holds, since};
    // If the time is too short, only enough successes tell something.
    return {successes.decisive ? Judgement::Is::holds_not : Judgement::Is::unknown, {}};
}

std::chrono::milliseconds percentile(std::span<const std::chrono::milliseconds> sorted, double percent) {
    const auto rank = std::ceil(percent / 100 * static_cast<double>(sorted.size()));
    const auto place = static_cast<std::size_t>(std::max(rank, 1.0)) - 1;
    return sorted[std::min(place, sorted.size() - 1)];
}

Judgement judge(const Latency& latency, std::span<const std::chrono::milliseconds> sorted,
                base::WallTime now) {
    const bool any_slow = !sorted.empty() && sorted.back() > latency.over;
    if (!any_slow) return {Judgement::Is::holds_not, {}};
    if (sorted.size() < kFewestSamples) return {};
    if (percentile(sorted, latency.percentile) > latency.over) return {Judgement::Is::holds, now};
    return {Judgement::Is::holds_not, {}};
}

Turn turn(bool is_open, const Judgement& judgement) {
    if (!is_open && judgement.is == Judgement::Is::holds) return Turn::begins;
    if (is_open && judgement.is == Judgement::Is::holds_not) return Turn::ends;
    return Turn::none;
}

}  // namespace receiptd::rule
