#include "sandbox/replay/replay_chain.hpp"

#include "sandbox/gateway/json_text.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_set>

namespace receiptd::sandbox {

namespace {

std::vector<Height> merged_heights(const RpcRecording& recording, const WholeBlockRun& run) {
    std::vector<Height> heights = recording.heights();
    if (heights.empty()) return heights;
    for (std::uint64_t i = 0; i < run.size(); ++i) heights.push_back(run.height(i));
    std::sort(heights.begin(), heights.end());
    heights.erase(std::unique(heights.begin(), heights.end()), heights.end());
    return heights;
}

std::uint64_t block_count(const RpcRecording& recording, const WholeBlockRun& run) {
    const auto merged = merged_heights(recording, run);
    const std::uint64_t blocks = merged.empty() ? run.size() : merged.size();
    if (blocks == 0) throw std::runtime_error("nothing to replay: no block was given");
    return blocks;
}

bool is_to_itself(std::string_view receipt) {
    return json_text::string_body(json_text::require(receipt, "predecessor_id")) ==
           json_text::string_body(json_text::require(receipt, "receiver_id"));
}

}  // namespace

ReplayChain::ReplayChain(RpcRecording recording, WholeBlockRun run, const base::Clock& clock, TipOptions tip)
    : recording_(std::move(recording)),
      run_(std::move(run)),
      heights_(merged_heights(recording_, run_)),
      schedule_(clock, tip, block_count(recording_, run_)) {}

Height ReplayChain::height_at(std::uint64_t index) const {
    return heights_.empty() ? run_.height(index) : heights_[index];
}

std::uint64_t ReplayChain::index_from(Height height) const {
    std::uint64_t low = 0;
    std::uint64_t high = count();
    while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        if (height_at(middle) < height)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

Height ReplayChain::back(Height height, std::uint64_t blocks) const {
    const std::uint64_t index = std::min(index_from(height), count() - 1);
    return height_at(index > blocks ? index - blocks : 0);
}

std::optional<base::WallTime> ReplayChain::served_at(Height height) const {
    return has_block(height) ? schedule_.served_at(index_from(height)) : std::nullopt;
}

std::optional<base::Duration> ReplayChain::until(Height height) const {
    return schedule_.until(index_from(height));
}

bool ReplayChain::has_block(Height height) const {
    const auto index = index_from(height);
    return index < count() && height_at(index) == height;
}

std::optional<Height> ReplayChain::height_of_block(std::string_view hash) const {
    if (const auto height = recording_.height_of_block(hash)) return height;
    const auto position = run_.find_block(hash);
    return position ? std::optional(run_.height(*position)) : std::nullopt;
}

std::optional<std::string> ReplayChain::block(Height height) const {
    if (const auto* text = recording_.block(height)) return *text;
    const auto position = run_.position_of(height);
    if (!position) return std::nullopt;
    return join(run_.layout(*position).rpc_block, *run_.text(*position));
}

std::optional<Located> ReplayChain::chunk(std::string_view hash) const {
    if (auto recorded = recording_.chunk(hash)) return recorded;
    const auto place = run_.find_chunk(hash);
    if (!place) return std::nullopt;
    return Located{join(place->shard->rpc_chunk, *run_.text(place->position)), run_.height(place->position)};
}

std::optional<Located> ReplayChain::receipt(std::string_view receipt_id) const {
    if (auto recorded = recording_.receipt(receipt_id)) return recorded;
    const auto part = run_.find_receipt(receipt_id);
    if (!part) return std::nullopt;
    return Located{std::string(part->view()), run_.height(part->position)};
}

std::optional<TransactionView> ReplayChain::transaction(std::string_view hash, Height tip) const {
    if (const auto* recorded = recording_.transaction(hash)) {
        const HeightOf height_of = [this](std::string_view block) { return height_of_block(block); };
        return view_at(read_tree(*recorded, height_of), tip);
    }
    const auto place = run_.find_transaction(hash);
    if (!place || !place->outcome) return std::nullopt;
    return view_at(tree_of(*place, tip), tip);
}

// Puts a tree together from the outcomes of the run's blocks, as far as the run has them. As on a node, the
// body of a local receipt is not among its receipts: it is its transaction's.
ExecutionTree ReplayChain::tree_of(const WholeBlockRun::TransactionPlace& place, Height tip) const {
    ExecutionTree tree;
    const auto outcome = [&](const Part& part) {
        tree.texts.push_back(part.text);
        return TreeOutcome{part.view(), run_.height(part.position)};
    };
    tree.transaction = place.transaction.view();
    tree.transaction_outcome = outcome(*place.outcome);
    tree.receipts.emplace();
    std::vector<std::string_view> to_read{tree.transaction_outcome->json};
    std::unordered_set<std::string_view> seen;
    while (!to_read.empty()) {
        const auto spawned = json_text::require(json_text::require(to_read.back(), "outcome"), "receipt_ids");
        to_read.pop_back();
        for (const auto value : json_text::elements(spawned)) {
            const auto id = json_text::string_body(value);
            if (!seen.insert(id).second) continue;
            const bool is_initial = seen.size() == 1;
            if (const auto body = run_.find_receipt(id);
                body && run_.height(body->position) <= tip && !(is_initial && is_to_itself(body->view()))) {
                tree.texts.push_back(body->text);
                tree.receipts->push_back(body->view());
            }
            if (const auto executed = run_.find_outcome(id)) {
                tree.receipts_outcome.push_back(outcome(*executed));
                to_read.push_back(tree.receipts_outcome.back().json);
            }
        }
    }
    return tree;
}

bool ReplayChain::has_receipts_of_transactions() const {
    return run_.size() > 0 || recording_.has_receipts_of_transactions();
}

std::optional<Height> ReplayChain::whole_tip(Height tip) const {
    for (std::uint64_t low = 0, high = run_.size(); low < high;) {
        const std::uint64_t middle = low + (high - low) / 2;
        if (run_.height(middle) <= tip)
            low = middle + 1;
        else
            high = middle;
        if (low == high) return low == 0 ? std::nullopt : std::optional(run_.height(low - 1));
    }
    return std::nullopt;
}

std::shared_ptr<const std::string> ReplayChain::whole_block(Height height) const {
    const auto position = run_.position_of(height);
    return position ? run_.text(*position) : nullptr;
}

std::shared_ptr<const std::string> ReplayChain::whole_block_gzip(Height height) const {
    const auto position = run_.position_of(height);
    return position ? run_.compressed(*position) : nullptr;
}

}  // namespace receiptd::sandbox
