#include "follow/rhythm.hpp"

#include <algorithm>
#include <chrono>

namespace receiptd::follow {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kRemembered = 12;
constexpr base::Duration kShortest = 20ms;
constexpr base::Duration kLongest = 5s;

// The gap between two polls around the expected arrival.
base::Duration step(base::Duration interval) { return std::clamp<base::Duration>(interval / 20, 5ms, 30ms); }

}  // namespace

HeadRhythm::HeadRhythm(base::Duration first_guess) : interval_(first_guess) {}

void HeadRhythm::saw(base::Height height, base::SteadyTime asked_at) {
    if (height < head_) *this = HeadRhythm(interval_);
    if (height > head_) {
        advanced(height, asked_at);
        return;
    }
    last_miss_ = asked_at;
    ++misses_;
    // The first misses are expected; a late block is asked for more and more rarely.
    const auto growth = misses_ <= 2 ? 1 : std::min(8u, misses_ - 1);
    next_poll_ = asked_at + std::min<base::Duration>(step(interval_) * growth, interval_ / 2);
}

void HeadRhythm::advanced(base::Height height, base::SteadyTime asked_at) {
    // After a miss the block came between the miss and now; without one, who knows how long ago.
    const bool phase_known = misses_ > 0;
    const auto arrived = phase_known ? last_miss_ + (asked_at - last_miss_) / 2 : asked_at;
    head_ = height;
    misses_ = 0;
    was_phased_ = was_phased_ || phase_known;
    if (!was_phased_) {
        next_poll_ = asked_at + step(interval_);  // the next one is waited for
        return;
    }
    arrivals_.push_back({height, arrived});
    if (arrivals_.size() > kRemembered) arrivals_.pop_front();
    if (arrivals_.size() >= 3) {
        const auto& first = arrivals_.front();
        const auto blocks = static_cast<base::Duration::rep>(height - first.height);
        interval_ = std::clamp<base::Duration>((arrived - first.at) / blocks, kShortest, kLongest);
    }
    unphased_ = phase_known ? 0 : unphased_ + 1;
    // Ask half a step early, so that the expected miss comes first; drift earlier until it does, in strides
    // if nothing is known of the phase.
    auto lead = phase_known ? step(interval_) / 2 : step(interval_);
    if (unphased_ > 1) lead = interval_ / 4;
    next_poll_ = std::max(arrived + interval_ - lead, asked_at + kShortest / 4);
}

// A block comes some time before it is asked for, a quarter of its time at first. The questions come a little
// earlier each time, until one is too early.
void BlockRhythm::saw(base::Height height, base::SteadyTime asked_at) {
    if (!sights_.empty() && height <= sights_.back().height) sights_.clear();
    const bool is_late = !sights_.empty() && height > sights_.back().height + 1;
    sights_.push_back({height, asked_at});
    if (sights_.size() > kRemembered) sights_.pop_front();
    const auto& first = sights_.front();
    if (sights_.size() >= 3)
        interval_ = std::clamp<base::Duration>(
            (asked_at - first.at) / static_cast<base::Duration::rep>(height - first.height), kShortest,
            kLongest);
    next_poll_ = asked_at + interval_;
    if (misses_ > 0)
        next_poll_ += interval_ / 4;
    else
        next_poll_ -= is_late ? interval_ / 4 : interval_ / 64;
    misses_ = 0;
}

void BlockRhythm::saw_nothing(base::SteadyTime at) {
    const auto wait = misses_ < 2 ? interval_ / 8 : interval_ / 2;
    ++misses_;
    next_poll_ = at + std::max<base::Duration>(wait, kShortest / 4);
}

void BlockRhythm::ask_soon(base::SteadyTime now) {
    misses_ = 0;
    next_poll_ = now + kShortest;
}

void HeadRhythm::failed(base::SteadyTime asked_at) {
    next_poll_ = asked_at + std::max<base::Duration>(interval_, 200ms);
}

}  // namespace receiptd::follow
