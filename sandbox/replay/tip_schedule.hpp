// When each height of a replay becomes servable: at once, or one more every block time, on an
// absolute schedule (a late look at the clock never shifts the blocks after it).
#pragma once

#include "base/clock.hpp"

#include <cstdint>
#include <optional>

namespace receiptd::sandbox {

struct TipOptions {
    base::Duration block_time{0};    // 0: every block is there from the start
    std::uint64_t start_blocks = 1;  // servable from the start; at least 1
    bool start_on_first_request = false;
};

class TipSchedule {
public:
    // `blocks` >= 1. The clock must outlive the schedule.
    TipSchedule(const base::Clock& clock, TipOptions options, std::uint64_t blocks);

    // Starts the time with the first request, if it waits for that.
    void note_request();

    // Number of blocks servable now, >= 1; before the start those of the start.
    std::uint64_t servable() const;
    // Until block `index` (from 0) is servable; zero if it is; nullopt if that is not known: the
    // recording ends before it, or the time has not started.
    std::optional<base::Duration> until(std::uint64_t index) const;
    // When block `index` became servable; nullopt if it is not yet.
    std::optional<base::WallTime> served_at(std::uint64_t index) const;

private:
    void start();
    base::Duration offset(std::uint64_t index) const;

    const base::Clock& clock_;
    TipOptions options_;
    std::uint64_t blocks_;
    std::optional<base::SteadyTime> started_;
    base::WallTime started_wall_{};
};

}  // namespace receiptd::sandbox
