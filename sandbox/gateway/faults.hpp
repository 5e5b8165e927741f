// Faults on demand: which request fails, and how, decided by a seeded die.
#pragma once

#include "base/result.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace receiptd::sandbox {

enum class Fault {
    none,
    // At most one of these befalls a request.
    rate_limited,  // "429": half of them with Retry-After
    server_error,  // "500", or another 5xx
    reset,         // connection closed hard instead of an answer; the request is not even read
    truncate,      // half of the announced body, then closed
    slow,          // the right answer, late
    html,          // a page instead of JSON: half of them 502, half 200
    malformed,     // a complete answer whose JSON breaks off
    wrong,         // a whole answer that is not true
    // These come on top, each by itself.
    stale,             // a node behind the balancer that is a few blocks behind
    latency,           // an answer that takes its time
    pruned,            // a node that keeps fewer blocks than it should
    clock,             // the time that an answer tells is ahead
    flapping,          // dead for n requests (connections reset), then alive for n
    without_receipts,  // a transaction or chunk without its receipts, and receipts that are denied
};

// The answer of Fault::wrong; with `other_block` it is the true answer for the block before the one asked
// for.
struct WrongAnswer {
    bool other_block = true;
    std::string result;  // JSON, in place of the result
    std::string error;   // the name of a cause, as a HANDLER_ERROR (INTERNAL_ERROR as that)
};

struct FaultShare {
    Fault fault = Fault::none;
    double share = 0;      // of all requests it may befall
    std::string method{};  // a JSON-RPC method, or how a path starts ("/v0/"); empty: every request
    // The status of server_error; ms of latency and slow; blocks of stale and pruned; requests of flapping;
    // seconds of clock; of without_receipts, that each n-th stays. 0: the host's default.
    std::uint64_t amount = 0;
    WrongAnswer wrong{};
};
using FaultPlan = std::vector<FaultShare>;

// The name in plans, "429".
std::string_view fault_name(Fault fault);
Fault fault_named(std::string_view name);  // none: no such fault
std::string fault_names();                 // all, for messages
// Whether a request with that label (its method or path) is meant by a method, the start of a path, or "" for
// all.
bool is_meant(std::string_view label, std::string_view method);
// Whether the fault excludes others: a request meets at most one such fault.
bool is_exclusive(Fault fault);
// The text says what is wrong if, for any request, the exclusive ones add up to more than 1.
std::string check_shares(const FaultPlan& plan);

// "429:0.01,500:0.01,reset:0.005"; the error text says what is wrong.
base::Result<FaultPlan, std::string> parse_fault_plan(std::string_view text);

// The faults of one request.
struct Trouble {
    Fault fault = Fault::none;  // an exclusive one
    std::uint64_t amount = 0;   // of that
    WrongAnswer wrong{};
    std::chrono::milliseconds latency{0};
    std::uint64_t stale_blocks = 0;
    std::uint64_t retention_blocks = 0;  // 0: as the host is configured
    std::chrono::seconds clock_ahead{0};
    bool without_receipts = false;
    bool in_chunks = false;        // … which is asked for by the method "chunk"
    std::uint64_t keep_every = 0;  // n-th of the receipts; 0: none
};

class FaultDie {
public:
    FaultDie(FaultPlan plan, std::uint64_t seed) : state_(seed) { set(std::move(plan)); }
    void set(FaultPlan plan);
    const FaultPlan& plan() const { return plan_; }
    // For the next request; the same seed and the same requests give the same row of faults. `label`: its
    // method or path.
    Trouble roll(std::string_view label = "");
    // An even chance, for faults that come in two kinds.
    bool coin() { return uniform() < 0.5; }

private:
    double uniform();
    void add(Trouble& trouble, std::size_t index);

    FaultPlan plan_;
    std::vector<std::uint64_t> met_;  // requests each flapping rule has met
    std::uint64_t state_;
};

}  // namespace receiptd::sandbox
