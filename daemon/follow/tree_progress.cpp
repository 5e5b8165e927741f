#include "follow/tree_progress.hpp"

#include "chain/tree/receipt_tree.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace receiptd::follow {
namespace {

constexpr std::array<base::Height, 6> kPauses{kSeenAhead, kSeenAhead, 3, 5, 8, 13};  // then the last one
// A stage of a watched transaction is told in the block in which it is final, so long as its tree may be
// expected to move.
constexpr unsigned kPatientAnswers = 20;
constexpr base::Height kLongestPark = 40;
constexpr std::size_t kMostAwaited = 256;  // of what no tree waits for: asked for by time

base::Height pause_after(const Progress& progress) {
    if (progress.watched && progress.answers_alike <= kPatientAnswers) return kSeenAhead;
    return kPauses[std::min<std::size_t>(progress.answers_alike, kPauses.size()) - 1];
}

}  // namespace

NextAsk first_ask(base::Height included_in, bool watched) {
    return {watched ? included_in : included_in + 1, {}};
}

Waits waits_of(const rpc::TreeSource::Tree& tree) {
    const auto& status = tree.status.value;
    const auto executed = [](const chain::Outcome&) { return std::optional(chain::Execution{}); };
    const auto judgement = chain::tree_of(status, tree.others(), executed).judge();
    Waits waits;
    waits.moves = !status.transaction_outcome;
    for (const auto& receipt : judgement.receipts) {
        if (receipt.waiting == chain::Waiting::resume)
            waits.for_data.insert(waits.for_data.end(), receipt.missing_data_ids.begin(),
                                  receipt.missing_data_ids.end());
        waits.moves = waits.moves || receipt.waiting == chain::Waiting::body ||
                      receipt.waiting == chain::Waiting::execution || waits.for_data.size() > kMostAwaited;
        if (waits.moves) break;
    }
    if (waits.moves) waits.for_data.clear();
    return waits;
}

NextAsk next_ask(Waits waits, const Progress& progress, base::Height final_height) {
    NextAsk next;
    next.waits_for_data = std::move(waits.for_data);
    next.at = final_height + (next.waits_for_data.empty() ? pause_after(progress) : kLongestPark);
    return next;
}

}  // namespace receiptd::follow
