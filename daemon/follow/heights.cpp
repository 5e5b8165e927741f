#include "follow/heights.hpp"

#include "metrics/registry.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace receiptd::follow {
namespace {

template <class Value>
void erase_within(std::map<base::Height, Value>& by_height, const base::HeightSet& heights) {
    for (const auto& range : heights.ranges())
        by_height.erase(by_height.lower_bound(range.from), by_height.upper_bound(range.to));
}

}  // namespace

void Heights::load(storage::Coverage coverage, const std::vector<storage::UnavailableHeight>& unavailable,
                   std::optional<chain::BlockRef> tip) {
    coverage_ = std::move(coverage);
    unavailable_.clear();
    for (const auto& height : unavailable) unavailable_[height.height] = height;
    tip_ = std::move(tip);
    agreed_ = 0;
    answers_.clear();
    to_be_removed_ = {};
    publish();
    changed.notify_all();
}

void Heights::read_again(const base::HeightSet& before, storage::Coverage read,
                         const std::optional<chain::BlockRef>& tip) {
    auto committed_since = coverage_.covered;
    committed_since.subtract(before);
    auto wanted = std::move(coverage_.wanted);
    wanted.add(before);
    auto without_outcomes = coverage_.without_outcomes;
    without_outcomes.subtract(before);
    coverage_ = std::move(read);
    coverage_.without_outcomes.add(without_outcomes);
    wanted.subtract(coverage_.skipped_by_operator);
    coverage_.wanted.add(wanted);
    coverage_.covered.add(committed_since);
    if (!tip_ || !coverage_.covered.contains(tip_->height)) tip_ = tip;
    auto lost = before;
    lost.subtract(coverage_.covered);
    forget_agreement_on(lost);
    forget_faults_of(coverage_.covered);
    forget_faults_of(coverage_.skipped_by_operator);
    publish();
    changed.notify_all();
}

void Heights::claim(const base::HeightSet& heights, bool to_be_settled) {
    in_flight_.add(heights);
    if (to_be_settled) unsettled_.add(heights);
}

void Heights::release(const base::HeightSet& heights) {
    in_flight_.subtract(heights);
    unsettled_.subtract(heights);
    changed.notify_all();
}

void Heights::learn_committed(const chain::CommitFacts& facts) {
    series_.skipped_heights.Increment(static_cast<double>(facts.covered.size() - facts.blocks.size()));
    coverage_.covered.add(facts.covered);
    coverage_.wanted.add(facts.covered);
    coverage_.wanted.add(facts.wanted);
    if (facts.tell_outcomes)
        coverage_.without_outcomes.subtract(facts.covered);
    else
        coverage_.without_outcomes.add(facts.covered);
    forget_faults_of(facts.covered);
    forget_answers(facts.covered);  // a hole that was filled has taken none
    if (!facts.blocks.empty()) learn_stored(facts.blocks.back());
    publish();
    changed.notify_all();
}

void Heights::learn_stored(const chain::BlockRef& block) {
    if (tip_ && block.height <= tip_->height) return;
    tip_ = block;
    series_.committed_height.Set(static_cast<double>(block.height));
    series_.committed_time.Set(static_cast<double>(block.timestamp_nanosec) / 1e9);
}

void Heights::learn_stored_by_others(storage::Coverage stored, const chain::CommitFacts& facts) {
    coverage_ = std::move(stored);
    forget_faults_of(coverage_.covered);
    forget_answers(facts.covered);
    for (const auto& block : facts.blocks)
        if (coverage_.covered.contains(block.height)) learn_stored(block);
    publish();
    changed.notify_all();
}

void Heights::forget_faults_of(const base::HeightSet& covered) {
    given_up_.subtract(covered);
    alone_.subtract(covered);
    erase_within(unavailable_, covered);
    if (broken_ && covered.contains(broken_->height)) {
        broken_.reset();
        series_.broken_chain.Set(0);
    }
}

void Heights::learn_unavailable(const storage::UnavailableHeight& height) {
    unavailable_[height.height] = height;
    given_up_.add(height.height);
    coverage_.wanted.add(height.height);
    answers_.erase(height.height);
    publish();
    changed.notify_all();
}

storage::UnavailableHeight Heights::in_vain(base::Height height, std::string reason,
                                            std::string detail) const {
    const auto known = unavailable_.find(height);
    const auto before = known == unavailable_.end() ? 0 : known->second.attempts;
    return {height, std::move(reason), std::move(detail), before + 1};
}

void Heights::write_alone(const base::HeightSet& heights) {
    alone_.add(heights);
    coverage_.wanted.add(heights);
    publish();
    changed.notify_all();
}

bool Heights::begins_again() const {
    const auto since = coverage_.one_host_since;
    return since && coverage_.covered.within({*since, base::kTopHeight}).empty();
}

void Heights::set_broken(base::Height height, std::string why) {
    broken_ = BrokenChain{height, std::move(why)};
    series_.broken_chain.Set(1);
    changed.notify_all();
}

void Heights::refute(Refuted block) {
    refuted_ = std::move(block);
    changed.notify_all();
}

void Heights::refute_outcomes(base::Height height, rpc::BlockContents::Amendment answers) {
    answers_[height] = std::move(answers);
    to_be_removed_.add(height);
    changed.notify_all();
}

base::HeightSet Heights::take_false_outcomes() { return std::exchange(to_be_removed_, {}); }

std::optional<rpc::BlockContents::Amendment> Heights::take_answers(base::Height height) {
    auto found = answers_.extract(height);
    if (found.empty()) return std::nullopt;
    return std::move(found.mapped());
}

void Heights::forget_answers(const base::HeightSet& about) { erase_within(answers_, about); }

bool Heights::is_whole(base::HeightRange range) const {
    const auto corrected = answers_.lower_bound(range.from);
    return (corrected == answers_.end() || corrected->first > range.to) && gaps().within(range).empty();
}

std::size_t Heights::answers_held() const {
    std::size_t held = 0;
    for (const auto& [height, answers] : answers_) held += answers.statuses.size();
    return held;
}

void Heights::learn_to_be_stored_again(const base::HeightSet& missing) {
    coverage_.covered.subtract(missing);
    coverage_.wanted.add(missing);
    publish();
    changed.notify_all();
}

void Heights::learn_removed(const base::HeightSet& missing, std::optional<chain::BlockRef> tip) {
    coverage_.covered.subtract(missing);
    coverage_.wanted.add(missing);
    tip_ = std::move(tip);
    forget_agreement_on(missing);
    publish();
    changed.notify_all();
}

void Heights::agree_up_to(base::Height height) {
    agreed_ = std::max(agreed_, height);
    changed.notify_all();
    series_.agreed_height.Set(static_cast<double>(agreed_));
}

void Heights::forget_agreement_on(const base::HeightSet& missing) {
    if (!missing.empty()) agreed_ = std::min(agreed_, missing.ranges().front().from - 1);
}

std::optional<base::Height> Heights::covered_up_to(base::Height from, base::Height lag) const {
    const auto& covered = coverage_.covered;
    auto known = from;
    while (!covered.contains(known) && known > 0 && from - known < lag) --known;
    if (!covered.contains(known)) return std::nullopt;
    return covered.first_missing(known) - 1;
}

base::HeightSet Heights::missing_in(base::HeightRange range) const {
    base::HeightSet missing(range);
    missing.subtract(coverage_.covered);
    return missing;
}

base::HeightSet Heights::untried_in(base::HeightRange range) const {
    auto untried = gaps().within(range);
    const auto end = unavailable_.upper_bound(range.to);
    for (auto tried = unavailable_.lower_bound(range.from); tried != end; ++tried)
        untried.subtract({tried->first, tried->first});
    return untried;
}

bool Heights::follows_since(base::Height from) const {
    const bool all_wanted = !tip_ || coverage_.wanted.first_missing(from) > tip_->height;
    return all_wanted && unavailable_.lower_bound(from) == unavailable_.end();
}

void Heights::publish() {
    series_.gap_blocks.Set(static_cast<double>(coverage_.gaps().size()));
    series_.unavailable_blocks.Set(static_cast<double>(unavailable_.size()));
}

}  // namespace receiptd::follow
