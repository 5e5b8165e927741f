#include "sandbox/replay/tip_schedule.hpp"

#include <algorithm>

namespace receiptd::sandbox {

TipSchedule::TipSchedule(const base::Clock& clock, TipOptions options, std::uint64_t blocks)
    : clock_(clock), options_(options), blocks_(blocks) {
    options_.start_blocks = std::clamp<std::uint64_t>(options_.start_blocks, 1, blocks_);
    if (!options_.start_on_first_request) start();
}

void TipSchedule::note_request() {
    if (!started_) start();
}

void TipSchedule::start() {
    started_ = clock_.steady();
    started_wall_ = clock_.wall();
}

base::Duration TipSchedule::offset(std::uint64_t index) const {
    if (index < options_.start_blocks) return base::Duration::zero();
    return options_.block_time * static_cast<base::Duration::rep>(index - options_.start_blocks + 1);
}

std::uint64_t TipSchedule::servable() const {
    if (options_.block_time <= base::Duration::zero()) return blocks_;
    if (!started_) return options_.start_blocks;
    const auto passed = (clock_.steady() - *started_) / options_.block_time;
    return std::min(blocks_,
                    options_.start_blocks + static_cast<std::uint64_t>(std::max<std::int64_t>(0, passed)));
}

std::optional<base::Duration> TipSchedule::until(std::uint64_t index) const {
    if (index < servable()) return base::Duration::zero();
    if (index >= blocks_ || !started_) return std::nullopt;
    return std::max(base::Duration::zero(), *started_ + offset(index) - clock_.steady());
}

std::optional<base::WallTime> TipSchedule::served_at(std::uint64_t index) const {
    if (!started_ || index >= servable()) return std::nullopt;
    return started_wall_ +
           (options_.block_time > base::Duration::zero() ? offset(index) : base::Duration::zero());
}

}  // namespace receiptd::sandbox
