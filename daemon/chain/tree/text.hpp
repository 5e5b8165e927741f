// A transaction's tree as text for a terminal, the failing branch marked.
#pragma once

#include "chain/tree/judgement.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace receiptd::chain {

struct TreeStyle {
    std::size_t width = 0;  // columns; longer lines are cut with "…", errors go on below. 0: no limit
    bool colour = false;    // by escape sequences
    bool details = false;   // deposit, gas, time since the transaction, the root cause, losses
};

// Lines end with \n. Margin: "✗ " a failure, "! " an ancestor of one or a loss, "  " everything else.
std::string render_tree(const std::string& tx_hash, const std::optional<TransactionFacts>& transaction,
                        const Judgement& tree, const TreeStyle& style = {});

}  // namespace receiptd::chain
