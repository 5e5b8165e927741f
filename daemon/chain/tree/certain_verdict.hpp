// What a tree's verdict will be, while it is still under way. Pure.
#pragma once

#include "chain/tree/receipt_graph.hpp"

#include <optional>

namespace receiptd::chain {

// Given as soon as nothing that is missing can change it: once the initial receipt failed, a callback failed
// unhandled, or only refunds can follow. No other one is given later, whatever arrives, and it is the verdict
// of the completed tree. Withheld while an outcome is known without its receipt.
std::optional<Verdict> certain_verdict(const TreeJudgement& tree);

}  // namespace receiptd::chain
