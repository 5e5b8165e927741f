// A transaction's tree as text for a terminal, the failing branch marked.
#pragma once

#include "chain/tree/judgement.hpp"

#include <optional>
#include <string>

namespace receiptd::chain {

// Lines end with \n. Margin: "✗ " a failure, "! " an ancestor of one, "  " everything else.
std::string render_tree(const std::string& tx_hash, const std::optional<TransactionFacts>& transaction,
                        const Judgement& tree);

}  // namespace receiptd::chain
