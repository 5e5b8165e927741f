// Faults on demand: which request fails, and how, decided by a seeded die.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace receiptd::sandbox {

enum class Fault {
    none,
    rate_limited,  // "429": half of them with Retry-After
    server_error,  // "500"
    reset,         // connection closed hard instead of an answer
    truncate,      // half of the announced body, then closed
    slow,          // the right answer, late
    html,          // a page instead of JSON: half of them 502, half 200
    malformed,     // a complete answer whose JSON breaks off
    stale,         // a node behind the balancer that is a few blocks behind
};

struct FaultShare {
    Fault fault = Fault::none;
    double share = 0;  // of all requests
};
using FaultPlan = std::vector<FaultShare>;

// "429:0.01,500:0.01,reset:0.005"; the error text says what is wrong. The shares' sum is at most 1.
base::Result<FaultPlan, std::string> parse_fault_plan(std::string_view text);

class FaultDie {
public:
    FaultDie(FaultPlan plan, std::uint64_t seed) : plan_(std::move(plan)), state_(seed) {}
    // For the next request; the same seed gives the same row of faults.
    Fault roll();
    // An even chance, for faults that come in two kinds.
    bool coin() { return uniform() < 0.5; }

private:
    double uniform();

    FaultPlan plan_;
    std::uint64_t state_;
};

}  // namespace receiptd::sandbox
