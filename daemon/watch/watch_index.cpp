#include "watch/watch_index.hpp"

#include "base/checked.hpp"

#include <algorithm>
#include <limits>

namespace receiptd::watch {

namespace {

// No watch is looked at later than that after the last look: a later time was written by a clock that has
// been set back since.
constexpr base::Duration kLongestWait = std::chrono::hours(1);

// The height at which all blocks up to `last` count as looked through: some blocks later.
chain::BlockHeight looked_through_at(chain::BlockHeight last) { return base::saturated_add(last, kHostsLag); }

// Missing heights may be stored at any time later.
chain::BlockHeight until_when_lost(const storage::Watch& watch, const chain::LifecycleRules& rules) {
    if (watch.state.reason == chain::reason::kHeightsMissing)
        return std::numeric_limits<chain::BlockHeight>::max();
    return looked_through_at(chain::last_height(watch.transaction, rules));
}

}  // namespace

void WatchIndex::set(const storage::Watch& watch, const chain::LifecycleRules& rules, base::SteadyTime now) {
    if (watch.state.stage == chain::Stage::final) return erase(watch.tx_hash);
    if (chain::is_end(watch.state.stage)) {
        forget_open(watch.tx_hash);
        lost_[watch.tx_hash] = until_when_lost(watch, rules);
        return;
    }
    lost_.erase(watch.tx_hash);
    const auto [found, is_new] = watches_.try_emplace(watch.tx_hash);
    auto& entry = found->second;
    if (is_new || entry.stage != watch.state.stage) {
        entry.in_stage_since = now;
        entry.stuck_again_at = {};
    }
    entry.stage = watch.state.stage;
    stuck_count_ = stuck_count_ - (entry.stuck ? 1 : 0) + (watch.stuck ? 1 : 0);
    entry.stuck = watch.stuck;
    entry.check_at = watch.next_check_at;
    entry.patience = watch.stuck ? std::nullopt : chain::stuck_after(watch.state.stage, stuck_);
    if (!is_new) leave(watch.tx_hash, entry);
    entry.waits = chain::waits_for_inclusion(watch.state);
    entry.awaited = entry.waits && watch.origin != storage::WatchOrigin::rule;
    entry.early_at = watch.state.early ? watch.state.early->at.height : 0;
    const auto ends_at = chain::last_height(watch.transaction, rules);
    entry.is_due = entry.is_due && entry.ends_at == ends_at;
    entry.ends_at = ends_at;
    join(watch.tx_hash, entry);
}

void WatchIndex::join(const std::string& tx_hash, const Entry& entry) {
    if (entry.awaited) ++waiting_[entry.ends_at];
    if (entry.early_at > 0) early_.emplace(entry.early_at, tx_hash);
}

void WatchIndex::leave(const std::string& tx_hash, const Entry& entry) {
    if (entry.awaited && --waiting_[entry.ends_at] == 0) waiting_.erase(entry.ends_at);
    if (entry.early_at > 0) early_.erase({entry.early_at, tx_hash});
}

bool WatchIndex::may_be_in(const std::string& tx_hash, chain::BlockHeight height) const {
    const auto found = watches_.find(tx_hash);
    return found != watches_.end() && height <= found->second.ends_at;
}

void WatchIndex::touch_early(const base::HeightSet& heights) {
    for (const auto& [at, tx_hash] : early_)
        if (heights.contains(at)) touched_.insert(tx_hash);
}

std::optional<base::SteadyTime> WatchIndex::in_stage_since(const std::string& tx_hash) const {
    const auto found = watches_.find(tx_hash);
    if (found == watches_.end()) return std::nullopt;
    return found->second.in_stage_since;
}

void WatchIndex::erase(const std::string& tx_hash) {
    touched_.erase(tx_hash);
    later_.erase(tx_hash);
    lost_.erase(tx_hash);
    forget_open(tx_hash);
}

void WatchIndex::forget_open(const std::string& tx_hash) {
    const auto found = watches_.find(tx_hash);
    if (found == watches_.end()) return;
    if (found->second.stuck) --stuck_count_;
    leave(tx_hash, found->second);
    watches_.erase(found);
}

bool WatchIndex::touch(const std::string& tx_hash) {
    if (!watches_.contains(tx_hash) && !lost_.contains(tx_hash)) return false;
    touched_.insert(tx_hash);
    return true;
}

void WatchIndex::forget_lost(chain::BlockHeight final_height) {
    std::erase_if(lost_, [&](const auto& lost) { return final_height > lost.second; });
}

void WatchIndex::touch_all() {
    for (const auto& [tx_hash, entry] : watches_) later_.insert(tx_hash);
}

std::vector<std::string> WatchIndex::take_touched(std::size_t limit) {
    auto& from = touched_.empty() ? later_ : touched_;
    std::vector<std::string> taken;
    while (!from.empty() && taken.size() < limit)
        taken.push_back(std::move(from.extract(from.begin()).value()));
    return taken;
}

bool WatchIndex::is_stuck_now(const Entry& entry, const Now& now) {
    return entry.patience && now.steady >= entry.stuck_again_at &&
           has_waited_longer(*entry.patience, entry.in_stage_since, now.at_head_since, now.steady);
}

std::vector<std::string> WatchIndex::take_due(const Now& now, base::Duration again_after, std::size_t limit) {
    std::vector<std::string> due;
    for (auto& [tx_hash, entry] : watches_) {
        if (due.size() == limit) break;
        const bool over = entry.waits && !entry.is_due && now.final_height >= entry.ends_at;
        const bool not_yet = entry.check_at > now.wall && entry.check_at <= now.wall + kLongestWait;
        const bool is_stuck = is_stuck_now(entry, now);
        if (not_yet && !is_stuck && !over) continue;
        entry.check_at = now.wall + again_after;
        if (is_stuck) entry.stuck_again_at = now.steady + again_after;
        entry.is_due = entry.is_due || over;
        due.push_back(tx_hash);
    }
    return due;
}

}  // namespace receiptd::watch
