#include "alert/standstill.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::alert {

std::optional<EpisodeNews> Standstill::look(const Readings& readings, base::SteadyTime now,
                                            base::WallTime wall) {
    if (!looked_at_ || now - *looked_at_ >= kAsleep) awake_since_ = now;
    looked_at_ = now;
    judge(readings, now, wall);
    if (standing_.empty()) return episode_ ? std::optional(end(wall)) : std::nullopt;
    return episode_ ? go_on(now) : begin(now);
}

base::Duration Standstill::age_of(const PartReading& part, base::SteadyTime now) {
    auto& without_work_at = without_work_at_[part.part];
    if (!part.has_work) without_work_at = now;
    return now - std::max({part.progressed_at, without_work_at, awake_since_});
}

// While nobody takes readings, the last ones tell nothing of the other parts.
void Standstill::judge(const Readings& readings, base::SteadyTime now, base::WallTime wall) {
    const PartReading loop{kEventLoop, readings.taken_at, true, "it takes too long over something"};
    std::vector<Age> ages{{&loop, age_of(loop, now)}};
    if (ages.front().age < stalled_after_ / 2) {
        ages.clear();
        for (const auto& part : readings.parts) ages.push_back({&part, age_of(part, now)});
    }
    standing_.clear();
    const bool any =
        std::any_of(ages.begin(), ages.end(), [this](const Age& each) { return each.age >= stalled_after_; });
    if (!any) return;
    for (const auto& [part, age] : ages)
        if (age >= stalled_after_ / 2) standing_.push_back({part->part, wall - age, part->why});
}

std::optional<EpisodeNews> Standstill::begin(base::SteadyTime now) {
    const auto first = std::min_element(standing_.begin(), standing_.end(),
                                        [](const auto& a, const auto& b) { return a.since < b.since; });
    episode_ = Episode{first->since, 1, kFirstRepeat, now + kFirstRepeat, standing_};
    return EpisodeNews{episode_->since, std::nullopt, 1, standing_};
}

std::optional<EpisodeNews> Standstill::go_on(base::SteadyTime now) {
    if (now < episode_->next) return std::nullopt;
    episode_->wait = std::min<base::Duration>(episode_->wait * 2, kLongestRepeat);
    episode_->next = now + episode_->wait;
    episode_->parts = standing_;
    return EpisodeNews{episode_->since, std::nullopt, ++episode_->told, standing_};
}

EpisodeNews Standstill::end(base::WallTime wall) {
    auto over = *std::exchange(episode_, std::nullopt);
    return {over.since, wall, over.told + 1, std::move(over.parts)};
}

}  // namespace receiptd::alert
