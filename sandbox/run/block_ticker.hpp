// The rhythm in which blocks come: an absolute schedule, so that late blocks do not make the chain slow.
#pragma once

#include "base/clock.hpp"
#include "base/event.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <optional>

namespace receiptd::sandbox {

// The schedule itself, as a pure value.
class BlockSchedule {
public:
    // `period` zero: no rhythm, nothing is ever due.
    explicit BlockSchedule(base::Duration period) : period_(period) {}

    bool has_rhythm() const { return period_ > base::Duration::zero(); }
    bool running() const { return has_rhythm() && next_.has_value(); }
    // The first block comes a period from now.
    void start(base::SteadyTime now) { next_ = now + period_; }
    void stop() { next_.reset(); }
    // How long until the next block; zero: now. nullopt while nothing is due.
    std::optional<base::Duration> wait(base::SteadyTime now) const;
    // A block was made. Blocks more than kMostLate periods late are skipped: a machine that was asleep does
    // not make all blocks of the night at once.
    void made(base::SteadyTime now);

    static constexpr int kMostLate = 5;

private:
    base::Duration period_;
    std::optional<base::SteadyTime> next_;
};

class BlockTicker {
public:
    // `make_block` is called on the executor. The clock must outlive it.
    BlockTicker(boost::asio::any_io_executor executor, const base::Clock& clock, base::Duration period,
                std::function<void()> make_block);

    // Until it is cancelled or stop() is called. Starts running.
    base::Task<void> run();
    void stop();
    bool stopped() const { return stopped_; }

    bool has_rhythm() const { return schedule_.has_rhythm(); }
    bool paused() const { return !schedule_.running(); }
    void pause();
    void resume();

private:
    boost::asio::any_io_executor executor_;
    const base::Clock& clock_;
    BlockSchedule schedule_;
    std::function<void()> make_block_;
    base::Event changed_;
    bool stopped_ = false;
};

}  // namespace receiptd::sandbox
