// Hands the transactions of the traffic to the chain, so many per block.
#pragma once

#include "sandbox/ledger/ledger.hpp"
#include "sandbox/traffic/traffic.hpp"

#include <cstdint>

namespace receiptd::sandbox {

class TrafficFeed {
public:
    // `tps` in time of the chain: a second is so many blocks as take a second. The ledger must outlive it.
    TrafficFeed(Ledger& ledger, Traffic traffic, double tps);

    // Call after each block: submits the transactions due by its height. Deterministic.
    void after_block();
    // Holds from the current height on.
    void set_tps(double tps);
    double tps() const { return tps_; }
    std::uint64_t submitted() const { return submitted_; }

private:
    ChainFacts facts() const;

    Ledger& ledger_;
    Traffic traffic_;
    double tps_;
    Height paced_since_;
    std::uint64_t submitted_before_ = 0;
    std::uint64_t submitted_ = 0;
};

}  // namespace receiptd::sandbox
