// A transaction's tree as text for a terminal, the failing branch marked.
#pragma once

#include "chain/json/model.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::chain {

struct TreeNode {
    std::string receipt_id;
    std::string parent_receipt_id;  // empty: the transaction
    std::string role;               // empty: unknown
    std::string predecessor_id;
    std::string receiver_id;
    std::string method_name;  // or the first action's name
    std::string status;       // as receipts.status; "pending": no outcome yet
    std::string error_class;
    std::string error_text;
    std::optional<BlockHeight> block_height;
    Gas gas_burnt = 0;
    bool failed() const { return status == "failure"; }
};

struct TreeView {
    std::string tx_hash;
    std::string signer_id;
    std::string receiver_id;
    std::optional<BlockHeight> block_height;
    std::string status;  // of the conversion, as transactions.status; empty: unknown
    std::string error_class;
    std::string error_text;
    std::vector<TreeNode> receipts;  // parents before children, siblings in spawn order
};

// From an upstream's answer; `bodies` are the receipts that could be had, in any order.
// Heights are not in the answer: nodes have none.
TreeView tree_view(const TransactionStatus& status, const std::vector<Receipt>& bodies);

// Lines end with \n. Margin: "✗ " a failure, "! " an ancestor of one, "  " everything else.
std::string render_tree(const TreeView& tree);

}  // namespace receiptd::chain
