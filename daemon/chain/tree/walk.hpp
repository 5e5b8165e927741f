// Walks a tree's spawn edges: who made whom, in which role, and what the rest waits for.
#pragma once

#include "chain/tree/receipt_tree.hpp"

#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace receiptd::chain {

// Views and pointers into the ReceiptTree.
struct WalkedTree {
    Judgement tree;  // of it: the receipts, the transaction's own outcome, and the end of the result chain
    std::vector<const ReceiptFacts*> bodies;               // as tree.receipts; nullptr: not known
    std::unordered_map<std::string_view, std::size_t> at;  // places in tree.receipts, by id
    std::size_t attached = 0;                              // those before are reached from the transaction
};
WalkedTree walk(const ReceiptTree& parts);

}  // namespace receiptd::chain
