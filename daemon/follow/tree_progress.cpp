#include "follow/tree_progress.hpp"

#include "chain/tree/receipt_tree.hpp"

#include <algorithm>
#include <array>
#include <unordered_set>
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

// A tree of a hundred thousand receipts is read as it stands, as to judge it takes eight times its text.
Waits waits_of(const rpc::TreeSource::Tree& tree) {
    const auto& status = tree.status.value;
    std::unordered_set<chain::Text> known;  // executed, or with a body
    for (const auto& outcome : status.receipts_outcome) known.insert(outcome.id);
    Waits waits;
    waits.moves = !status.transaction_outcome;
    chain::for_each_receipt(status, tree.others(), [&](const chain::Receipt& body) {
        if (body.kind == chain::ReceiptKind::data || !known.insert(body.receipt_id).second) return;
        const auto& awaited = body.input_data_ids;
        if (body.is_promise_yield)
            waits.for_data.insert(waits.for_data.end(), awaited.begin(), awaited.end());
        waits.moves = waits.moves || awaited.empty() || waits.for_data.size() > kMostAwaited;
    });
    const auto announced = [&](const chain::Outcome& outcome) {
        for (const auto id : outcome.receipt_ids) waits.moves = waits.moves || !known.contains(id);
    };
    if (status.transaction_outcome) announced(*status.transaction_outcome);
    std::for_each(status.receipts_outcome.begin(), status.receipts_outcome.end(), announced);
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
