// Describes an alert's cause in words for the person who is woken by it. Pure.
#pragma once

#include "chain/tree/receipt_tree.hpp"

#include <string>
#include <vector>

namespace receiptd::alert {

// From the transaction down to the receipt, a line each, and the first failure that led to its own; empty:
// the tree does not lead there. Long branches lose their middle.
std::vector<std::string> branch_in_words(const chain::Judgement& tree, const std::string& receipt_id);

// One sentence. `root_cause`: the first failure that led to it; nullptr: none did, or it is not known.
std::string summary(const chain::Finding& finding, const chain::Finding* root_cause = nullptr);

}  // namespace receiptd::alert
