// What it costs to follow a chain: requests and disk, reckoned from a sample of its blocks. Pure.
#pragma once

#include "base/height_set.hpp"

#include <cstdint>
#include <vector>

namespace receiptd::follow {

// A height as its source gave it.
struct SampledBlock {
    std::uint64_t requests = 0;   // for its contents
    std::uint64_t trees = 0;      // transactions in scope whose tree must be fetched
    std::uint64_t rows = 0;       // that stay
    std::uint64_t row_bytes = 0;  // as COPY binary
};

// A tree that was fetched when it was complete.
struct SampledTree {
    base::Height blocks = 0;     // from its transaction to its last receipt
    std::uint64_t requests = 0;  // beside those for the tree itself
    std::uint64_t rows = 0;
    std::uint64_t row_bytes = 0;  // as COPY binary
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
    double disk_a_day = 0;  // bytes of tables and indexes
};

// Without blocks, or without a time between them, nothing costs anything.
Cost cost_of(const Sample& sample);

// Requests for one tree that ends so many blocks after its transaction, at the head.
std::uint64_t asks_for_tree(base::Height blocks);

}  // namespace receiptd::follow
