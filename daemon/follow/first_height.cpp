// Follower's first height: where an empty database begins, and where a stored chain goes on.
#include "base/backoff.hpp"
#include "base/log.hpp"
#include "follow/follower.hpp"

#include <chrono>
#include <utility>
#include <variant>

namespace receiptd::follow {
namespace {

// So many heights are caught up with before the head is followed.
constexpr base::Height kCaughtUpFirst = 128;
constexpr base::BackoffPolicy kAskHeadsAgain{std::chrono::seconds(1), std::chrono::seconds(10), 2.0, 0.2};

}  // namespace

std::optional<Follower::First> Follower::first_of(const std::optional<chain::BlockRef>& head) {
    if (!head) return std::nullopt;
    return First{head->height, head->hash};
}

base::Task<std::optional<Follower::First>> Follower::first_height(std::optional<base::Height> until) {
    const auto* start = std::get_if<std::uint64_t>(&settings_.start);
    if (const auto last = state_.heights.coverage().covered.last()) {
        if (start != nullptr) warn_of_start(*start, *last);
        co_return co_await where_to_go_on(*last, until);
    }
    if (start == nullptr) co_return first_of(co_await agree_on_head());
    base::HeightSet tried;
    for (const auto& [height, record] : state_.heights.unavailable()) tried.add(height);
    co_return First{tried.first_missing(*start), ""};
}

void Follower::warn_of_start(base::Height start, base::Height last) const {
    const auto& coverage = state_.heights.coverage();
    if (coverage.wanted.contains(start) || start == last + 1) return;
    log::warn(
        "follow.start has no effect: the database holds blocks, and they are continued; "
        "`receiptd backfill` adds earlier heights, `receiptd skip` gives missing ones up",
        {{"start", start}, {"last_stored", last}});
}

// Far below the head, the head comes first: what lies between is a gap. Where the hosts do not agree on the
// head, each next block is proven by the stored one below it.
base::Task<std::optional<Follower::First>> Follower::where_to_go_on(base::Height last,
                                                                    std::optional<base::Height> until) {
    const auto& coverage = state_.heights.coverage();
    auto settled = coverage.covered;
    settled.add(coverage.skipped_by_operator);
    const auto next = settled.first_missing(last + 1);
    const bool is_linked = next == last + 1;
    if (until && is_linked) co_return First{next, ""};
    co_await know_head();
    const auto head = state_.head.block();
    if (!head) co_return std::nullopt;
    if (is_linked && head->height <= next + kCaughtUpFirst) co_return First{next, ""};
    if (!is_linked && head->height < next) co_return First{next, ""};
    if (co_await agreement_.on(*head) == Told::yes) co_return first_of(head);
    if (is_linked) co_return First{next, ""};
    co_return first_of(co_await agree_on_head());
}

// Nothing from the first followed height on is left out, unless an operator has said so.
base::Task<void> Follower::want_what_lies_below(base::Height from) {
    const auto& coverage = state_.heights.coverage();
    const auto last = coverage.covered.last();
    const auto since = coverage.followed_since.value_or(last ? *last + 1 : from);
    if (coverage.followed_since != since) co_await stores_.blocks.follow_since(since);
    if (from <= since) co_return;
    base::HeightSet missed({since, from - 1});
    missed.subtract(coverage.skipped_by_operator);
    const auto& tip = state_.heights.tip();
    if (!missed.empty() && tip && time_of(*tip) < state_.news_since(false).sent_since)
        log::warn(
            "blocks of more than a week are missing and will be fetched: alerts about what is older than a "
            "week are kept as late, and `receiptd alerts resend --state late` sends them",
            {{"last_stored", tip->height}});
    for (const auto& range : missed.ranges()) {
        co_await stores_.blocks.want(range);
        state_.heights.want(range);
    }
}

// The first stored block decides which blocks fit later. After a minute the word of a host is enough to which
// the others give no answer: the daemon follows, and says that it is alone.
base::Task<std::optional<chain::BlockRef>> Follower::agree_on_head() {
    bool warned = false;
    co_await know_head();
    for (unsigned attempt = 1; !state_.stop.requested(); ++attempt) {
        const auto head = state_.head.block();
        auto answer = Told::no;
        if (head) answer = co_await agreement_.on(*head);
        if (answer == Told::yes) co_return head;
        if (head && co_await agreement_.begins_alone(*head, answer)) co_return head;
        if (head) agreement_.hold_up();
        if (head && !std::exchange(warned, true))
            log::warn("nothing is stored before the hosts agree on the head",
                      {{"because", state_.disagreement}});
        if (head && answer == Told::no) agreement_.doubt_head();
        // The stored tip of an old database is not where to start.
        state_.head.fall_back(std::nullopt);
        co_await state_.pause(state_.wait_before(kAskHeadsAgain, attempt));
        co_await know_head();
    }
    co_return std::nullopt;
}

}  // namespace receiptd::follow
