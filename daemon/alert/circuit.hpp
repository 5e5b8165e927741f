// Whether an endpoint is worth an attempt. When it has failed with several messages in a row it is tried by
// one delivery at a time, less and less often, until it takes one: the others use up no attempts meanwhile.
// One message that it never takes is not enough: the endpoint takes others. A failure tells nothing of the
// endpoint as it is now when the endpoint has taken a message since that attempt began: attempts that hang
// end together, long after the successes that began beside them (docs/decisions/0040). Pure.
#pragma once

#include "base/clock.hpp"

#include <chrono>
#include <set>
#include <string>

namespace receiptd::alert {

class Circuit {
public:
    static constexpr std::size_t kMessagesInARow = 5;
    static constexpr std::chrono::seconds kFirstWait{1};
    static constexpr std::chrono::minutes kLongestWait{5};

    bool is_open() const { return open_; }
    // One delivery may be tried although the circuit is open. The wait until then has passed.
    bool may_probe(base::SteadyTime now) const { return open_ && !probing_ && now >= probe_at_; }

    void probe_begins() { probing_ = true; }
    // If nobody has told how it ended, it has failed.
    void probe_ends(base::SteadyTime now) {
        if (probing_) probed(true, now);
    }

    // How an attempt ended: the endpoint was out of order, or it answered.
    void probed(bool failed, base::SteadyTime now);
    void tried(const std::string& alert_id, bool failed, base::SteadyTime began, base::SteadyTime now);

private:
    void open(base::SteadyTime now);
    void close(base::SteadyTime now);

    std::set<std::string> failed_;  // messages, since it has taken one
    bool open_ = false;
    bool probing_ = false;
    std::chrono::milliseconds wait_ = kFirstWait;
    base::SteadyTime probe_at_{};
    base::SteadyTime answered_at_ = base::SteadyTime::min();  // the last time that it was not out of order
};

}  // namespace receiptd::alert
