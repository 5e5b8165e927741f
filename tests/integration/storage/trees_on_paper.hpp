// A tree as rows of the blocks that executed it.
#pragma once

#include "store_test_support.hpp"

#include <string>
#include <utility>
#include <vector>

namespace receiptd::test {

// As four followers that each saw one block alone would write the tree
//   T -> A -> B (promise, fails), A -> C (callback of B, fails), C -> F (refund)
inline std::vector<RowBatch> unconnected_blocks(const std::string& tx_hash = "T") {
    std::vector<RowBatch> blocks;
    blocks.push_back(block_batch(100));
    add_transaction(blocks.back(), {tx_hash, "A"});
    blocks.push_back(block_batch(101));
    add_receipt(blocks.back(), 101,
                {"A", "A", "", "", "initial", "{B,C}", "alice.near", "bob.near", "success_value", "[]", "",
                 "", "", "", true});
    blocks.push_back(block_batch(102));
    add_receipt(blocks.back(), 102,
                {"B", "B", "", "", "promise", "{}", "bob.near", "token.near", "failure",
                 R"(["CreateAccount"])", "", "{d}", "contract_panic", "", true});
    blocks.push_back(block_batch(103));
    add_receipt(blocks.back(), 103,
                {"C", "C", "", "", "callback", "{F}", "bob.near", "bob.near", "failure", "[]", "{d}", "",
                 "gas_exceeded", "", true});
    blocks.push_back(block_batch(104));
    add_receipt(blocks.back(), 104,
                {"F", "F", "", "", "refund", "{}", "system", "alice.near", "success_value",
                 R"([{"Transfer":{"deposit":"1"}}])", "", "", "", "", true});
    return blocks;
}

}  // namespace receiptd::test
