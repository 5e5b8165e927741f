// Decides which waiting request may start next on a host. The host's budget and slots are shared by priority,
// and first come, first served inside a priority. One start in four is for the request that has waited
// longest, so that a host with too small a budget starves no priority. Pure.
#pragma once

#include "base/token_bucket.hpp"
#include "rpc/source.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace receiptd::rpc {

class Admission {
public:
    using Ticket = std::uint64_t;

    struct Limits {
        double per_second = 0;  // 0: no limit
        unsigned max_in_flight = 8;
    };
    Admission(Limits limits, base::SteadyTime now);

    Ticket join(Priority priority);
    void leave(Ticket ticket);  // gave up waiting

    // Tickets that may start now, in order. `next`: when to ask again, if only time is missing; only first()
    // needs to ask then. Otherwise finished() makes room.
    struct Decision {
        std::vector<Ticket> granted;
        std::optional<base::Duration> next;
    };
    Decision grant(base::SteadyTime now);
    std::optional<Ticket> first() const;

    void finished();  // one that was granted has ended
    // Nothing starts until then; everybody who waits is sent away to look for another host, whoever has
    // waited longest first: where there is none, they come back in that order.
    std::vector<Ticket> block_until(base::SteadyTime until);
    void unblock() { blocked_until_ = {}; }
    // While set, only one request at a time: the probe of a half-open circuit.
    void set_probing(bool probing) { probing_ = probing; }
    void set_limits(Limits limits, base::SteadyTime now);

    unsigned in_flight() const { return in_flight_; }
    std::size_t waiting() const { return waiting_.size(); }
    double available(base::SteadyTime now) { return now < blocked_until_ ? 0.0 : bucket_.available(now); }
    unsigned max_in_flight() const { return limits_.max_in_flight; }
    double per_second() const { return limits_.per_second; }

private:
    using Queue = std::set<std::pair<Priority, Ticket>>;
    Queue::const_iterator next_to_start() const;

    Limits limits_;
    base::TokenBucket bucket_;
    base::SteadyTime blocked_until_{};
    bool probing_ = false;
    unsigned in_flight_ = 0;
    Ticket last_ticket_ = 0;
    std::uint64_t started_ = 0;
    Queue waiting_;
};

}  // namespace receiptd::rpc
