// Alert rules about what does not happen in time (rule/timed.hpp), judged on what is stored.
#pragma once

#include "base/clock.hpp"
#include "base/task.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

namespace receiptd::storage {

// The condition of a rule does not hold, or holds; else the state says why nobody can tell.
enum class TimedState : std::uint8_t {
    quiet,
    alert,
    gap,          // heights near the head are missing
    history,      // not all of its window is stored without a gap, or counted yet
    skipped,      // an operator has skipped heights of its window
    trees,        // trees of its window are still fetched
    samples,      // too few transactions
    too_many,     // there are more rules than kMostTimedRules
    not_at_head,  // the newest blocks are not stored, or nobody tells of any
};
inline constexpr TimedState kTimedStates[] = {
    TimedState::quiet, TimedState::alert,   TimedState::gap,      TimedState::history,    TimedState::skipped,
    TimedState::trees, TimedState::samples, TimedState::too_many, TimedState::not_at_head};
std::string_view timed_state_name(TimedState state);

struct TimedReport {
    std::map<TimedState, std::uint64_t> rules;  // how many there are in each state
    std::optional<base::WallTime> until;        // chain time up to which they were judged; nullopt: none was
    bool more = false;                          // history is still to be counted
};

class TimedRuleStore {
public:
    virtual ~TimedRuleStore() = default;

    // Judges the timed rules of all endpoints that are served, and makes the alerts of the episodes that
    // begin, in one transaction. `newest`: time of the newest block that is stored. nullopt: `epoch` is not
    // that of the leader any more, and nothing was done.
    virtual base::Task<std::optional<TimedReport>> evaluate(std::int64_t epoch, base::WallTime newest) = 0;
};

}  // namespace receiptd::storage
