#include "follow/tree_part.hpp"

#include <algorithm>

namespace receiptd::follow {

using namespace std::chrono_literals;

static constexpr auto kPartAfter = 10s;  // a moment later a host may tell the receipts

std::chrono::milliseconds missing_for(const storage::PendingTree& pending) {
    return pending.receipts_missing_for.value_or(0ms);
}

std::chrono::milliseconds ask_again_after(std::chrono::milliseconds missing) {
    const auto longest = missing < 20min ? std::chrono::milliseconds(45s) : std::chrono::milliseconds(1h);
    return std::clamp<std::chrono::milliseconds>(missing / 20, 2s, longest);
}

chain::StoredPart part_to_store(const storage::PendingTree& pending, const chain::TreeCompletion& done) {
    using enum chain::StoredPart;
    if (pending.has_result || pending.stored_whole || missing_for(pending) < kPartAfter) return none;
    const bool tell = done.undecided && missing_for(pending) >= kUndecidedAfter;
    const auto part = tell ? undecided : rows;
    const bool has_more = part > pending.stored_part || !done.verdict.empty();
    return has_more ? std::max(part, pending.stored_part) : none;
}

}  // namespace receiptd::follow
