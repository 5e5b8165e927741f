#include "rpc/admission.hpp"

#include <algorithm>

namespace receiptd::rpc {
namespace {

constexpr std::uint64_t kLongestWaitingEvery = 4;

// Half a second's worth: a whole one, on top of what flows in, would overrun hosts that count by
// the second.
base::TokenBucket bucket_for(const Admission::Limits& limits, base::SteadyTime now) {
    const double burst = limits.per_second > 0 ? limits.per_second / 2 : limits.max_in_flight;
    return base::TokenBucket(limits.per_second, burst, now);
}

}  // namespace

const char* to_string(Priority priority) {
    switch (priority) {
        case Priority::submit: return "submit";
        case Priority::head: return "head";
        case Priority::watch: return "watch";
        case Priority::gap: return "gap";
        case Priority::backfill: return "backfill";
    }
    return "head";
}

Admission::Admission(Limits limits, base::SteadyTime now)
    : limits_(limits), bucket_(bucket_for(limits, now)) {}

Admission::Ticket Admission::join(Priority priority) {
    waiting_.emplace(priority, ++last_ticket_);
    return last_ticket_;
}

void Admission::leave(Ticket ticket) {
    std::erase_if(waiting_, [&](const auto& entry) { return entry.second == ticket; });
}

std::optional<Admission::Ticket> Admission::first() const {
    if (waiting_.empty()) return std::nullopt;
    return next_to_start()->second;
}

Admission::Queue::const_iterator Admission::next_to_start() const {
    if ((started_ + 1) % kLongestWaitingEvery != 0) return waiting_.begin();
    return std::ranges::min_element(waiting_, {}, &Queue::value_type::second);
}

Admission::Decision Admission::grant(base::SteadyTime now) {
    Decision decision;
    const unsigned slots = probing_ ? 1 : std::max(1u, limits_.max_in_flight);
    while (!waiting_.empty() && in_flight_ < slots) {
        const auto wait = now < blocked_until_ ? blocked_until_ - now : bucket_.take(now);
        if (wait > base::Duration::zero()) {
            decision.next = wait;
            break;
        }
        const auto next = next_to_start();
        decision.granted.push_back(next->second);
        waiting_.erase(next);
        ++started_;
        ++in_flight_;
    }
    return decision;
}

void Admission::finished() {
    if (in_flight_ > 0) --in_flight_;
}

std::vector<Admission::Ticket> Admission::block_until(base::SteadyTime until) {
    blocked_until_ = std::max(blocked_until_, until);
    std::vector<Ticket> sent_away;
    for (const auto& [priority, ticket] : waiting_) sent_away.push_back(ticket);
    std::ranges::sort(sent_away);
    waiting_.clear();
    return sent_away;
}

void Admission::set_limits(Limits limits, base::SteadyTime now) {
    limits_ = limits;
    bucket_ = bucket_for(limits, now);
}

}  // namespace receiptd::rpc
