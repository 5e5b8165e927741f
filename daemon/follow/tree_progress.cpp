#include "follow/tree_progress.hpp"

#include "chain/tree/receipt_tree.hpp"

#include <algorithm>
#include <array>

namespace receiptd::follow {
namespace {

constexpr std::array<base::Height, 6> kPauses{kSeenAhead, kSeenAhead, 3, 5, 8, 13};  // then the last one
// A stage of a watched transaction is told in the block in which it is final, so long as its tree may be
// expected to move.
constexpr unsigned kPatientAnswers = 20;
constexpr base::Height kLongestPark = 40;

base::Height pause_after(const Progress& progress) {
    if (progress.watched && progress.answers_alike <= kPatientAnswers) return kSeenAhead;
    return kPauses[std::min<std::size_t>(progress.answers_alike, kPauses.size()) - 1];
}

}  // namespace

NextAsk first_ask(base::Height included_in, bool watched) {
    return {watched ? included_in : included_in + 1, {}};
}

NextAsk next_ask(const rpc::TreeSource::Tree& tree, const Progress& progress, base::Height final_height) {
    const auto& status = tree.status.value;
    const auto executed = [](const chain::Outcome&) { return std::optional(chain::Execution{}); };
    const auto judgement = chain::tree_of(status, tree.bodies(), executed).judge();
    NextAsk next;
    bool moves = !status.transaction_outcome;
    for (const auto& receipt : judgement.receipts) {
        if (receipt.waiting == chain::Waiting::resume)
            next.waits_for_data.insert(next.waits_for_data.end(), receipt.missing_data_ids.begin(),
                                       receipt.missing_data_ids.end());
        moves =
            moves || receipt.waiting == chain::Waiting::body || receipt.waiting == chain::Waiting::execution;
    }
    if (moves) next.waits_for_data.clear();
    next.at = final_height + (next.waits_for_data.empty() ? pause_after(progress) : kLongestPark);
    return next;
}

}  // namespace receiptd::follow
