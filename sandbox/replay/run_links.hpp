// Links recorded blocks that are repeated one after the other, so that their trees complete.
//
// A recorded block executes receipts that a block before it announced, and announces others that the block
// after it executes; neighbours were rarely recorded. Here each receipt without a parent in the recording
// takes an id that an earlier block of the run announces and nothing executes, from the nearest block that
// has one of its kind: a transaction's initial receipt, a promise with the callback that awaits its data,
// a call that nobody awaits, a refund. The same pairs are made in every round, and each is a block or more
// apart, so the links are worked out once.
//
// Transactions take first and receipts follow in the order in which they hang below them; hence each linked
// receipt hangs on a transaction. Data that a block lists is what a promise before it made. Announced ids for
// which no receipt is left are dropped from their outcome, unless its status names them. Accounts of parent
// and child do not belong together.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace receiptd::sandbox {

// An id of a run: the recorded one it is made from, and by how many rounds the block that brought it up lies
// before the one that holds it here.
struct RunId {
    std::string recorded;
    unsigned rounds_back = 0;
};

// Changes one block's text. Views point into the recorded text.
struct BlockLinks {
    std::unordered_map<std::string_view, RunId> ids;        // recorded id -> its replacement
    std::unordered_map<const char*, RunId> transaction_of;  // by the body of an executed receipt's tx_hash
    std::unordered_map<const char*, std::string_view>
        drops;  // by the body of an announced id: the removed text
};

// Per round.
struct LinkCounts {
    std::size_t transactions = 0;
    std::size_t receipts = 0;  // executed
    std::size_t recorded = 0;  // receipts whose parent is recorded, too
    std::size_t linked = 0;    // receipts that took an announced id
    std::size_t orphans = 0;   // the rest
    std::size_t dropped = 0;   // announced ids that nothing executes
    std::size_t open = 0;      // the same, but left in place
};

struct RunLinks {
    std::vector<BlockLinks> blocks;
    LinkCounts counts;
};

// `recorded`: the texts of a round in the order of the run. Throws std::invalid_argument on a text without
// the members it needs.
RunLinks link_run(const std::vector<std::string_view>& recorded);

// Rounds between a block in place `slot` of its round and the one `distance` blocks before it.
unsigned rounds_between(std::size_t slot, std::size_t distance, std::size_t round);

}  // namespace receiptd::sandbox
