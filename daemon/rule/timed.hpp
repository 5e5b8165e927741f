// Timed rules: how far their subjects are counted, whether their condition holds, and its episodes. Times are
// those of blocks. Pure.
#pragma once

#include "base/clock.hpp"
#include "rule/definition.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

namespace receiptd::rule {

// Below this nothing can be said of a percentile.
inline constexpr std::size_t kFewestSamples = 20;

// Chain time of which everything is stored, without a gap: (from, until].
struct KnownTime {
    base::WallTime from{};
    base::WallTime until{};
    friend bool operator==(const KnownTime&, const KnownTime&) = default;
};

// The part of it in which the successes of a rule are counted.
using CountedTime = KnownTime;

struct Counting {
    CountedTime counted;  // go on from its end
    bool anew = false;    // forget all counts
    friend bool operator==(const Counting&, const Counting&) = default;
};
// Where counting goes on, for a rule that looks back as far as `window`. nullopt: nothing was counted.
Counting go_on(std::chrono::milliseconds window, const KnownTime& known,
               const std::optional<CountedTime>& counted);

struct Judgement {
    enum class Is : std::uint8_t { unknown, holds, holds_not };
    Is is = Is::unknown;
    base::WallTime since{};  // when it holds: from then on
    friend bool operator==(const Judgement&, const Judgement&) = default;
};

struct Successes {
    CountedTime counted;
    // When the one of them happened after which there were Absence::at_least - 1 more; nullopt: there are
    // fewer.
    std::optional<base::WallTime> decisive;
};
// `stood_still`: for how long the chain made no blocks since then. That time counts for no absence.
Judgement judge(const Absence& absence, const Successes& successes, base::Duration stood_still);

// The times are in ascending order, at least one; the rank is the nearest.
std::chrono::milliseconds percentile(std::span<const std::chrono::milliseconds> sorted, double percent);
// `sorted`: what the transactions of its window took, ascending.
Judgement judge(const Latency& latency, std::span<const std::chrono::milliseconds> sorted,
                base::WallTime now);

// An episode begins when the condition begins to hold and ends when it does not hold any more. As long as
// nothing is known it stays as it is.
enum class Turn : std::uint8_t { none, begins, ends };
Turn turn(bool is_open, const Judgement& judgement);

}  // namespace receiptd::rule
