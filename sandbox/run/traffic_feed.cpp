#include "sandbox/run/traffic_feed.hpp"

#include "sandbox/gateway/rpc_context.hpp"

#include <algorithm>
#include <cmath>

namespace receiptd::sandbox {

namespace {

// How many blocks an aging block hash is still valid for.
constexpr Height kAgingBlocks = 60;

}  // namespace

TrafficFeed::TrafficFeed(Ledger& ledger, Traffic traffic, double tps)
    : ledger_(ledger), traffic_(std::move(traffic)), tps_(tps), paced_since_(ledger.first()) {}

void TrafficFeed::set_tps(double tps) {
    tps_ = tps;
    paced_since_ = ledger_.tip();
    submitted_before_ = submitted_;
}

void TrafficFeed::after_block() {
    const double per_height = tps_ * static_cast<double>(ledger_.options().block_time_nanosec) / 1e9;
    const auto heights = static_cast<double>(ledger_.tip() - paced_since_);
    const auto due = submitted_before_ + static_cast<std::uint64_t>(std::floor(heights * per_height + 1e-6));
    for (auto& planned : traffic_.next(static_cast<std::size_t>(due - submitted_), facts())) {
        const auto how = parse_drop_how(planned.drop);
        if (how)
            ledger_.drop(chain::wire::transaction_hash(planned.transaction.transaction).to_string(), *how);
        ledger_.submit(planned.transaction);
    }
    submitted_ = due;
}

ChainFacts TrafficFeed::facts() const {
    // The hash of the newest block at or below that height.
    const auto hash_at = [&](Height height) {
        while (!ledger_.has_block(height)) --height;
        return *chain::CryptoHash::parse(block_hash(ledger_, height));
    };
    ChainFacts facts;
    facts.height = ledger_.tip();
    facts.has_gas_keys = ledger_.protocol().has_gas_keys;
    facts.recent_block_hash = hash_at(ledger_.final_head(ledger_.tip()));
    const Height validity = ledger_.options().validity_blocks;
    const Height age = facts.height - ledger_.first();
    if (age + kAgingBlocks > validity && validity > kAgingBlocks)
        facts.aging_block_hash = hash_at(facts.height - validity + kAgingBlocks);
    if (age > validity + 1) facts.expired_block_hash = hash_at(facts.height - validity - 1);
    return facts;
}

}  // namespace receiptd::sandbox
