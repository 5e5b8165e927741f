#include "rpc/health.hpp"

#include <algorithm>

namespace receiptd::rpc {
namespace {

constexpr double kRecovery = 0.15;     // share of the missing health that one answer gives back
constexpr double kFaultLeaves = 0.7;   // share of the score that survives a fault
constexpr double kLimitLeaves = 0.95;  // being told to slow down is our fault as much

// One answer does not keep us away for long, for the head has to be followed; a host that says it again and
// again is believed.
base::Duration honoured(base::Duration retry_after, unsigned in_a_row) {
    constexpr base::Duration kHonouredAtOnce = std::chrono::minutes(1);
    constexpr unsigned kMostDoublings = 4;
    return std::min(retry_after, kHonouredAtOnce * (1u << std::min(in_a_row - 1, kMostDoublings)));
}

Health after_fault(Health health, const Verdict& verdict, base::SteadyTime now, double chance) {
    health.score *= kFaultLeaves;
    ++health.faults_in_a_row;
    health.last_error = verdict.reason;
    if (verdict.unauthorized && now >= health.not_before)  // requests that ran side by side count once
        health.not_before = now + backoff_delay(kRefusalBackoff, ++health.refusals_in_a_row, chance);
    if (health.faults_in_a_row >= kFaultsToOpen) {
        const auto opened = health.faults_in_a_row - kFaultsToOpen + 1;
        health.not_before = std::max(health.not_before, now + backoff_delay(kHostBackoff, opened, chance));
    }
    if (verdict.retry_after)
        health.not_before =
            std::max(health.not_before, now + honoured(*verdict.retry_after, health.faults_in_a_row));
    return health;
}

// Never earlier than Retry-After; jitter comes on top, so that clients do not return together.
Health after_limit(Health health, const Verdict& verdict, base::SteadyTime now, double chance) {
    health.score *= kLimitLeaves;
    ++health.limits_in_a_row;
    health.last_error = verdict.reason;
    auto wait = backoff_delay(kHostBackoff, health.limits_in_a_row, chance);
    if (verdict.retry_after) {
        const auto told = honoured(*verdict.retry_after, health.limits_in_a_row);
        const auto jitter = static_cast<double>(told.count()) * 0.1 * chance;
        wait = told + base::Duration(static_cast<base::Duration::rep>(jitter));
    }
    health.not_before = std::max(health.not_before, now + wait);
    return health;
}

}  // namespace

Health next(Health health, const Verdict& verdict, base::SteadyTime now, double chance) {
    if (verdict.blames_host()) return after_fault(std::move(health), verdict, now, chance);
    if (verdict.error_class == ErrorClass::rate_limited)
        return after_limit(std::move(health), verdict, now, chance);
    health.score += (1.0 - health.score) * kRecovery;
    health.faults_in_a_row = 0;
    health.limits_in_a_row = 0;
    health.refusals_in_a_row = 0;
    return health;
}

Circuit circuit(const Health& health, base::SteadyTime now) {
    if (health.faults_in_a_row < kFaultsToOpen && health.refusals_in_a_row == 0) return Circuit::closed;
    return now < health.not_before ? Circuit::open : Circuit::half_open;
}

}  // namespace receiptd::rpc
