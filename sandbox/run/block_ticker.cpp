#include "sandbox/run/block_ticker.hpp"

#include "base/coroutine.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>

namespace receiptd::sandbox {

std::optional<base::Duration> BlockSchedule::wait(base::SteadyTime now) const {
    if (!running()) return std::nullopt;
    return std::max(base::Duration::zero(), *next_ - now);
}

void BlockSchedule::made(base::SteadyTime now) {
    if (!running()) return;
    *next_ += period_;
    if (now - *next_ > kMostLate * period_) *next_ = now;
}

BlockTicker::BlockTicker(boost::asio::any_io_executor executor, const base::Clock& clock,
                         base::Duration period, std::function<void()> make_block)
    : executor_(executor),
      clock_(clock),
      schedule_(period),
      make_block_(std::move(make_block)),
      changed_(executor) {}

base::Task<void> BlockTicker::run() {
    schedule_.start(clock_.steady());
    while (!stopped_) {
        const auto wait = schedule_.wait(clock_.steady());
        if (!wait) {
            co_await changed_.wait();
        } else if (*wait > base::Duration::zero()) {
            co_await base::wait_for(changed_, executor_, *wait);
        } else {
            make_block_();
            schedule_.made(clock_.steady());
            // Requests have their turn between two late blocks.
            co_await boost::asio::post(executor_, boost::asio::use_awaitable);
        }
    }
}

void BlockTicker::stop() {
    stopped_ = true;
    changed_.notify_all();
}

void BlockTicker::pause() {
    schedule_.stop();
    changed_.notify_all();
}

void BlockTicker::resume() {
    if (paused()) schedule_.start(clock_.steady());
    changed_.notify_all();
}

}  // namespace receiptd::sandbox
