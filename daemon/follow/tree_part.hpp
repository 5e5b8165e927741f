// Decides what is stored of a tree while no host gives some of its receipts. Pure.
#pragma once

#include "chain/rows/rows.hpp"
#include "storage/tree_store.hpp"

#include <chrono>

namespace receiptd::follow {

inline constexpr std::chrono::minutes kUndecidedAfter{10};  // then a finding reports the tree as undecided

std::chrono::milliseconds missing_for(const storage::PendingTree& pending);
// The longer it lasted, the less it is worth a question.
std::chrono::milliseconds ask_again_after(std::chrono::milliseconds missing);
// none: nothing new of it, or it is judged, and not replaced by less.
chain::StoredPart part_to_store(const storage::PendingTree& pending, const chain::TreeCompletion& done);

}  // namespace receiptd::follow
