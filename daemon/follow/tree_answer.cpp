#include "follow/tree_answer.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::follow {
namespace {

std::size_t bytes_of(const rpc::TreeSource::Tree& tree) {
    const auto text = [](const auto& decoded) {
        return decoded.document ? decoded.document->json().size() : std::size_t{0};
    };
    auto bytes = text(tree.status);
    for (const auto& extra : tree.extra_receipts) bytes += extra.receipt.json.size();
    return bytes;
}

// A tree with the room that it takes.
struct Held {
    Held(rpc::TreeSource::Tree kept, std::size_t size, std::shared_ptr<std::atomic<std::size_t>> of)
        : tree(std::move(kept)), bytes(size), taken(std::move(of)) {
        *taken += bytes;
    }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held() { *taken -= bytes; }

    rpc::TreeSource::Tree tree;
    std::size_t bytes;
    std::shared_ptr<std::atomic<std::size_t>> taken;
};

}  // namespace

bool is_of_another_execution(const rpc::TreeSource::Tree& tree, const chain::BlockRef& included_in) {
    const auto& outcome = tree.status.value.transaction_outcome;
    return outcome && !outcome->block_hash.empty() && outcome->block_hash != included_in.hash;
}

TreeAnswer read_answer(SharedTree tree) {
    TreeAnswer answer;
    answer.host = tree->host;
    answer.complete = tree->complete;
    const auto& outcomes = tree->status.value.receipts_outcome;
    answer.outcomes = outcomes.size();
    for (const auto& outcome : outcomes)
        if (!answer.executed_in.contains(outcome.block_hash)) answer.executed_in.emplace(outcome.block_hash);
    if (!answer.complete) answer.waits = waits_of(*tree);
    answer.tree = std::move(tree);
    return answer;
}

bool all_final(const TreeAnswer& answer, const rpc::FinalBlocks& blocks) {
    return std::all_of(answer.executed_in.begin(), answer.executed_in.end(),
                       [&](const auto& hash) { return blocks.contains(hash); });
}

bool rests_on(const TreeAnswer& answer, const rpc::BlockHashes& blocks) {
    return std::any_of(blocks.begin(), blocks.end(),
                       [&](const auto& hash) { return answer.executed_in.contains(hash); });
}

SharedTree AnswerRoom::keep(rpc::TreeSource::Tree tree) {
    const auto bytes = bytes_of(tree);
    if (bytes <= kSmall) return std::make_shared<const rpc::TreeSource::Tree>(std::move(tree));
    if (*taken_ > 0 && *taken_ + bytes > most_) return nullptr;
    auto held = std::make_shared<Held>(std::move(tree), bytes, taken_);
    const auto* kept = &held->tree;
    return {std::move(held), kept};
}

bool is_small(const rpc::TreeSource::Tree& tree) { return bytes_of(tree) <= AnswerRoom::kSmall; }

}  // namespace receiptd::follow
