#include "rpc/host_memory.hpp"

#include "rpc/error_class.hpp"

#include <algorithm>

namespace receiptd::rpc {

void HostMemory::holds(chain::BlockHeight height) {
    tell_head(height);
    lowest_held_ = std::min(lowest_held_.value_or(height), height);
    if (!below_horizon(height)) return;
    // Another node behind the same name reaches farther back.
    if (height == 0)
        highest_pruned_.reset();
    else
        highest_pruned_ = height - 1;
}

void HostMemory::lacks(chain::BlockHeight height, std::optional<chain::BlockHeight> known_head) {
    if (!known_head || height + kLagMargin >= *known_head) return;
    if (lowest_held_ && height >= *lowest_held_) {
        lowest_held_.reset();
        return;
    }
    highest_pruned_ = std::max(highest_pruned_.value_or(height), height);
}

void HostMemory::reaches_back_to(chain::BlockHeight earliest) {
    said_earliest_ = earliest;
    if (earliest > 0) collected(earliest - 1);
}

void HostMemory::collected(chain::BlockHeight height) {
    if (lowest_held_ && height >= *lowest_held_) lowest_held_.reset();
    highest_pruned_ = std::max(highest_pruned_.value_or(height), height);
}

void HostMemory::tell_head(chain::BlockHeight height) { head_ = std::max(head_.value_or(height), height); }

void HostMemory::doubt(base::SteadyTime now, double chance) {
    if (doubted(now)) return;
    // A host that was right for longer than it was doubted begins anew.
    const auto last = base::backoff_delay(kDoubtedFor, std::max(doubts_, 1u), 0.0);
    if (now > doubted_until_ + last) doubts_ = 0;
    head_.reset();
    doubted_until_ = now + base::backoff_delay(kDoubtedFor, ++doubts_, chance);
}

std::optional<chain::BlockHeight> HostMemory::horizon() const {
    if (highest_pruned_ && (!lowest_held_ || *lowest_held_ <= *highest_pruned_)) return *highest_pruned_ + 1;
    return lowest_held_;
}

void HostMemory::mark_unsupported(std::string_view method, base::SteadyTime now) {
    unsupported_[std::string(method)] = now + kUnsupportedFor;
}

bool HostMemory::supports(std::string_view method, base::SteadyTime now) const {
    const auto found = unsupported_.find(method);
    return found == unsupported_.end() || now >= found->second;
}

std::vector<std::string> HostMemory::unsupported(base::SteadyTime now) const {
    std::vector<std::string> methods;
    for (const auto& [method, ask_at] : unsupported_)
        if (now < ask_at) methods.push_back(method);
    return methods;
}

void HostMemory::runs(const std::string& version) {
    if (version == version_) return;
    if (!version_.empty()) forget_unsupported();
    version_ = version;
}

bool HostMemory::misses(chain::ShardId shard_id, chain::BlockHeight height, base::SteadyTime now) {
    if (shards_.size() >= kMostUntracked && !shards_.contains(shard_id)) return false;
    auto& misses = shards_[shard_id];
    const bool known = misses.count >= kMissesToBelieve;
    if (misses.count == 0 || misses.height != height) ++misses.count;
    misses.height = height;
    misses.until = now + kUntrackedFor;
    return !known && misses.count >= kMissesToBelieve;
}

bool HostMemory::denies(chain::ShardId shard_id, base::SteadyTime now) {
    if (shards_.size() >= kMostUntracked && !shards_.contains(shard_id)) return false;
    const bool known = lacks_shard(shard_id, now);
    shards_[shard_id] = {kMissesToBelieve, 0, now + kUntrackedFor};
    return !known;
}

bool HostMemory::lacks_shard(chain::ShardId shard_id, base::SteadyTime now) const {
    const auto found = shards_.find(shard_id);
    return found != shards_.end() && found->second.count >= kMissesToBelieve && now < found->second.until;
}

std::vector<chain::ShardId> HostMemory::untracked_shards(base::SteadyTime now) const {
    std::vector<chain::ShardId> shards;
    for (const auto& [shard_id, misses] : shards_)
        if (lacks_shard(shard_id, now)) shards.push_back(shard_id);
    return shards;
}

}  // namespace receiptd::rpc
