// When to ask for the head again, timed to the chain's own rhythm. Pure.
//
// The aim is to ask just before a block can be there and again just after: about two requests per
// block, each block seen within a small part of the block time.
#pragma once

#include "base/clock.hpp"
#include "base/height_set.hpp"

#include <deque>

namespace receiptd::follow {

class HeadRhythm {
public:
    explicit HeadRhythm(base::Duration first_guess = std::chrono::milliseconds(600));

    // The head was asked at `asked_at`; `height` is what it is now. A lower one: the last one was false.
    void saw(base::Height height, base::SteadyTime asked_at);
    // The head could not be had.
    void failed(base::SteadyTime asked_at);

    base::SteadyTime next_poll() const { return next_poll_; }
    base::Duration interval() const { return interval_; }

private:
    struct Arrival {
        base::Height height;
        base::SteadyTime at;
    };
    void advanced(base::Height height, base::SteadyTime asked_at);

    base::Duration interval_;
    std::deque<Arrival> arrivals_;  // the latest few new heads
    base::Height head_ = 0;
    unsigned misses_ = 0;      // polls since the last new head
    unsigned unphased_ = 0;    // new heads since one came between two polls
    bool was_phased_ = false;  // one did, ever
    base::SteadyTime last_miss_{};
    base::SteadyTime next_poll_{};
};

// When to ask for the newest block, final or not: once a block, soon after it may be there. Pure.
class BlockRhythm {
public:
    explicit BlockRhythm(base::Duration first_guess = std::chrono::milliseconds(600))
        : interval_(first_guess) {}

    // A block that was new, by a question of that time.
    void saw(base::Height height, base::SteadyTime asked_at);
    // None was, at that time.
    void saw_nothing(base::SteadyTime at);
    // The answer itself waits for the next block.
    void ask_soon(base::SteadyTime now);

    base::SteadyTime next_poll() const { return next_poll_; }

private:
    struct Sight {
        base::Height height;
        base::SteadyTime at;
    };
    base::Duration interval_;
    std::deque<Sight> sights_;  // the latest few
    unsigned misses_ = 0;       // since then
    base::SteadyTime next_poll_{};
};

}  // namespace receiptd::follow
