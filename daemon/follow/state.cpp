#include "follow/state.hpp"

#include "metrics/registry.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::follow {
namespace {

constexpr std::chrono::hours kBeforeTheDatabase{1};
constexpr std::chrono::days kNewsFor{7};

double seconds(std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e9; }

}  // namespace

void State::learn_head(const chain::BlockRef& block) {
    if (head && block.height <= head->height) return;
    if (head) series.new_heads.Increment(static_cast<double>(block.height - head->height));
    head = block;
    head_seen_at = clock.steady();
    series.head_height.Set(static_cast<double>(block.height));
    series.head_time.Set(seconds(block.timestamp_nanosec));
    changed.notify_all();
}

void State::learn_committed(const chain::RowBatch& batch) {
    series.skipped_heights.Increment(static_cast<double>(batch.covered.size() - batch.blocks.size()));
    coverage.covered.add(batch.covered);
    coverage.wanted.add(batch.covered);
    coverage.wanted.add(batch.wanted);
    forget_faults_of(batch.covered);
    if (!batch.blocks.empty()) learn_stored(batch.blocks.back());
    publish_gaps();
    changed.notify_all();
}

void State::learn_stored(const chain::BlockRef& block) {
    if (committed && block.height <= committed->height) return;
    committed = block;
    series.committed_height.Set(static_cast<double>(committed->height));
    series.committed_time.Set(seconds(committed->timestamp_nanosec));
    if (head && committed->height == head->height)
        series.lag_seconds.Observe(static_cast<double>((clock.steady() - head_seen_at).count()) / 1e9);
}

base::WallTime State::news_since() const {
    return std::max<base::WallTime>(coverage.made_at - kBeforeTheDatabase, clock.wall() - kNewsFor);
}

void State::learn_stored_by_others(storage::Coverage stored, const chain::RowBatch& batch) {
    coverage = std::move(stored);
    forget_faults_of(coverage.covered);
    for (const auto& block : batch.blocks)
        if (coverage.covered.contains(block.height)) learn_stored(block);
    publish_gaps();
    changed.notify_all();
}

void State::forget_faults_of(const base::HeightSet& covered) {
    given_up.subtract(covered);
    for (const auto& range : covered.ranges())
        unavailable.erase(unavailable.lower_bound(range.from), unavailable.upper_bound(range.to));
    if (broken && covered.contains(broken->height)) {
        broken.reset();
        series.broken_chain.Set(0);
    }
}

void State::learn_unavailable(const storage::UnavailableHeight& height) {
    unavailable[height.height] = height;
    given_up.add(height.height);
    coverage.wanted.add(height.height);
    publish_gaps();
    changed.notify_all();
}

void State::set_broken(base::Height height, std::string why) {
    broken = Broken{height, std::move(why)};
    series.broken_chain.Set(1);
    changed.notify_all();
}

void State::stop() {
    stopping = true;
    changed.notify_all();
}

void State::publish_gaps() {
    series.gap_blocks.Set(static_cast<double>(coverage.gaps().size()));
    series.unavailable_blocks.Set(static_cast<double>(unavailable.size()));
}

}  // namespace receiptd::follow
