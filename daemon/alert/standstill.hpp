// Whether the parts of this daemon go on, and what is told when they do not. A part stands still when it has
// work and has done none of it for a while. From the first part that stands still until all go on again is
// one episode: it is told when it begins, again and again while it lasts, less and less often, and when it is
// over. Pure.
#pragma once

#include "base/clock.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::alert {

// A part as it was when the event loop looked at it.
struct PartReading {
    std::string part;
    base::SteadyTime progressed_at{};  // the last time that it did something
    bool has_work = true;
    std::string why;  // what keeps it, for people; empty: not known
};

struct Readings {
    base::SteadyTime taken_at{};
    bool leads = false;  // of the daemons on the database
    std::vector<PartReading> parts;
};

inline constexpr const char* kEventLoop = "event loop";  // whoever takes readings

struct StandingPart {
    std::string part;
    base::WallTime since{};
    std::string why;
};

// One message about an episode.
struct EpisodeNews {
    base::WallTime since{};
    std::optional<base::WallTime> ended_at;  // nullopt: it lasts
    unsigned number = 1;                     // of the message within the episode
    std::vector<StandingPart> parts;         // of a message that it is over: those that stood still before
};

class Standstill {
public:
    // After a pause between two looks that is as long as this, this process did not run, and all times count
    // anew.
    static constexpr std::chrono::seconds kAsleep{10};
    static constexpr std::chrono::minutes kFirstRepeat{15};
    static constexpr std::chrono::hours kLongestRepeat{12};

    // A part stands still when it has done nothing for `stalled_after`. Others that have done nothing for
    // half of that time are named with it, as they will most likely have stopped for the same reason.
    explicit Standstill(base::Duration stalled_after) : stalled_after_(stalled_after) {}

    // Call every second or so. Returns what is to be told now. `readings`: the last that were taken.
    std::optional<EpisodeNews> look(const Readings& readings, base::SteadyTime now, base::WallTime wall);

    // Parts that stood still at the last look.
    const std::vector<StandingPart>& standing() const { return standing_; }

private:
    struct Episode {
        base::WallTime since{};
        unsigned told = 1;
        base::Duration wait = kFirstRepeat;  // from the last message to the next
        base::SteadyTime next{};
        std::vector<StandingPart> parts;  // as they were told last
    };
    struct Age {
        const PartReading* part;
        base::Duration age;
    };

    base::Duration age_of(const PartReading& part, base::SteadyTime now);
    void judge(const Readings& readings, base::SteadyTime now, base::WallTime wall);
    std::optional<EpisodeNews> begin(base::SteadyTime now);
    EpisodeNews end(base::WallTime wall);
    std::optional<EpisodeNews> go_on(base::SteadyTime now);

    base::Duration stalled_after_;
    std::optional<base::SteadyTime> looked_at_;
    base::SteadyTime awake_since_{};
    std::map<std::string, base::SteadyTime> without_work_at_;  // the last time, by part
    std::vector<StandingPart> standing_;
    std::optional<Episode> episode_;
};

}  // namespace receiptd::alert
