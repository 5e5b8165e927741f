// How well a host does: next = f(health, verdict, now, chance). Pure.
//
// A single fault only lowers the score: the request itself goes elsewhere. From the third fault in
// a row the circuit is open for a jittered, doubling time; then one probe decides (half open). A host that
// refuses us (401, 403) is put aside at once, at most for a quarter of an hour, and probed, too: a firewall
// or a rate limiter may have said it, or a key that is being replaced.
#pragma once

#include "base/backoff.hpp"
#include "rpc/error_class.hpp"

#include <string>

namespace receiptd::rpc {

struct Health {
    double score = 1.0;  // 0..1, exponentially forgetting
    unsigned faults_in_a_row = 0;
    unsigned limits_in_a_row = 0;
    unsigned refusals_in_a_row = 0;  // 401, 403
    base::SteadyTime not_before{};   // back-off or Retry-After: nothing may start earlier
    std::string last_error;          // reason of the last fault

    // The credits of its plan are used up, by its last answer.
    bool is_unpaid() const { return limits_in_a_row > 0 && last_error == kPaymentRequired; }
};

enum class Circuit { closed, open, half_open };

inline constexpr unsigned kFaultsToOpen = 3;
inline constexpr base::BackoffPolicy kHostBackoff{std::chrono::milliseconds(500), std::chrono::seconds(30),
                                                  2.0, 0.3};
inline constexpr base::BackoffPolicy kRefusalBackoff{std::chrono::seconds(5), std::chrono::minutes(15), 6.0,
                                                     0.3};

Health next(Health health, const Verdict& verdict, base::SteadyTime now, double chance);
Circuit circuit(const Health& health, base::SteadyTime now);

}  // namespace receiptd::rpc
