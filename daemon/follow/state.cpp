#include "follow/state.hpp"

#include "base/coroutine.hpp"
#include "base/log.hpp"
#include "metrics/registry.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::follow {
namespace {

constexpr std::chrono::hours kBeforeTheDatabase{1};
constexpr std::chrono::days kNewsFor{7};
constexpr std::chrono::seconds kHeadIsFresh{30};
constexpr std::chrono::hours kLately{1};
constexpr std::chrono::hours kNewFor{24};

}  // namespace

std::string LeftOut::in_words(base::SteadyTime now) const {
    if (blocks_ + outcomes_ == 0 || now - at_ > kLately) return "";
    return "the whole-block service left out " + std::to_string(blocks_) + " blocks and " +
           std::to_string(outcomes_) + " outcomes since the start, the last at height " +
           std::to_string(last_) + "; the JSON-RPC hosts are asked for them";
}

void NewKindsSeen::saw(const chain::NewKinds& kinds, base::SteadyTime now) {
    for (const auto& name : kinds.names()) {
        if (!last_seen_.contains(name) && last_seen_.size() >= chain::NewKinds::kMost) continue;
        const bool is_first = last_seen_.insert_or_assign(name, now).second;
        if (is_first)
            log::warn(
                "this version does not know something of the chain: it is stored as it came, as far as it "
                "can be read",
                {{"what", name.first}, {"name", name.second}});
    }
}

std::string NewKindsSeen::in_words(base::SteadyTime now) const {
    std::string names;
    for (const auto& [name, at] : last_seen_)
        if (now - at <= kNewFor) names += (names.empty() ? "" : ", ") + name.first + " " + name.second;
    if (names.empty()) return names;
    return "the chain has what this version does not know: " + names +
           "; it is stored as it came, as far as it can be read, and judged as far as it is known: look for "
           "a newer version";
}

void State::want_agreement() {
    if (!std::exchange(agreement_wanted, true)) heights.changed.notify_all();
}

base::Task<void> State::pause(base::Duration delay) {
    const auto executor = co_await base::asio::this_coro::executor;
    base::Wakeup stopping(executor, {&stop.signal});
    const auto until = clock.steady() + delay;
    while (!stop.requested() && clock.steady() < until) co_await stopping.wait_for(until - clock.steady());
}

void State::set_unconfirmed(std::string why) {
    unconfirmed_ = std::move(why);
    series.unconfirmed.Set(unconfirmed_.empty() ? 0 : 1);
}

base::WallTime State::chain_now() const {
    std::uint64_t newest = 0;
    for (const auto* block : {&head.block(), &heights.tip()})
        if (*block) newest = std::max(newest, (*block)->timestamp_nanosec);
    const auto now = clock.wall();
    return newest == 0 ? now : std::min(now, base::WallTime(base::Duration(newest)));
}

chain::NewsSince State::news_since(bool backfill) const {
    if (backfill) return {base::WallTime::max(), chain::withheld::kBackfill};
    const base::WallTime made_at = heights.coverage().made_at - kBeforeTheDatabase;
    return {made_at, chain::withheld::kBeforeDatabase, chain_now() - kNewsFor};
}

chain::NewsSince State::news_from(const chain::BlockRef& block, bool backfill) const {
    auto news = news_since(backfill);
    const auto median = times.median_at(block.height);
    if (median && *median >= news.time) news.time = std::min(news.time, time_of(block));
    if (median && *median >= news.sent_since) news.sent_since = std::min(news.sent_since, time_of(block));
    return news;
}

base::Height State::final_height() const {
    return std::max(heights.tip() ? heights.tip()->height : 0, head.confirmed());
}

bool State::is_at_head(base::Height lag) const {
    return head.block() && heights.tip() && heights.tip()->height + lag >= head.height() &&
           clock.steady() - head.seen_at() < kHeadIsFresh;
}

}  // namespace receiptd::follow
