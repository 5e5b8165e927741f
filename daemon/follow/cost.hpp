// What it costs to follow a chain: requests and disk, reckoned from a sample of its blocks. Pure.
#pragma once

#include "base/height_set.hpp"
#include "chain/rows/rows.hpp"
#include "rpc/source.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace receiptd::follow {

// Rows that stay, and their bytes as COPY binary.
struct SampledRows {
    std::uint64_t rows = 0;
    std::uint64_t bytes = 0;
};
using SampledTables = std::array<SampledRows, chain::kTableCount>;  // by chain::Table
SampledTables sampled_tables(const chain::RowBatch& batch);

// A height as its source gave it.
struct SampledBlock {
    std::uint64_t requests = 0;  // for its contents
    std::uint64_t trees = 0;     // transactions in scope whose tree must be fetched
    SampledTables tables{};
};

// A tree that was fetched when it was complete.
struct SampledTree {
    std::uint64_t asks = 0;      // asks_for_tree()
    std::uint64_t requests = 0;  // beside those for the tree itself
    SampledTables tables{};
};

struct Sample {
    double seconds_per_height = 0;
    std::vector<SampledBlock> blocks;
    std::vector<SampledTree> trees;
    double polls_per_height = 0;  // requests to learn of the head, if they are not for contents
};

struct Cost {
    double head = 0;   // requests per height: to learn of the head
    double block = 0;  // and for contents
    double tree = 0;   // and for trees
    double requests_a_second = 0;
    double requests_a_day = 0;
    // Bytes of tables and indexes a day. With findings come their alerts and their lines of the stream.
    double disk_a_day = 0;
    std::array<double, chain::kTableCount> table_a_day{};  // by chain::Table
};

// Without blocks, or without a time between them, nothing costs anything.
Cost cost_of(const Sample& sample);

// How often a complete tree would have been asked for while it grew, at the head. `executed_at`: the height
// of each of its receipts' outcomes; one that is not known (0) counts as executed with the transaction.
std::uint64_t asks_for_tree(rpc::TreeSource::Tree tree, base::Height included_in,
                            const std::vector<base::Height>& executed_at);

}  // namespace receiptd::follow
