// Whether the outcomes of a fetched tree are those of the chain (decision 0043).
#include "base/coroutine.hpp"
#include "base/log.hpp"
#include "follow/trees.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::follow {
namespace {

using namespace std::chrono_literals;

constexpr base::Duration kLongestComparison = 30s;
constexpr base::Duration kAskAnotherAfter = 3s;  // the next chunk comes within a block

bool has_proofs(const chain::TransactionStatus& status) {
    return std::any_of(status.receipts_outcome.begin(), status.receipts_outcome.end(),
                       [](const auto& outcome) { return !outcome.proof.empty(); });
}

}  // namespace

bool Trees::comparing() const {
    const auto since = state_.clock.steady() - kLongestComparison - kAskAnotherAfter;
    return std::any_of(open_.begin(), open_.end(), [&](const auto& open) {
        return open.second->whole_since && *open.second->whole_since > since;
    });
}

base::Task<std::optional<bool>> Trees::look_at_outcomes(OpenTree open, const rpc::FinalBlocks& blocks) {
    if (outcomes_ == nullptr) co_return false;
    const auto now = state_.clock.steady();
    if (!open->whole_since) open->whole_since = now;
    const auto waited = now - *open->whole_since;
    const auto told = co_await compare(*open, blocks);
    if (told == Outcomes::confirmed) co_return true;
    if (!agreement_->among_several() || waited >= kLongestComparison) co_return false;
    if (told == Outcomes::refuted) {
        if (!open->refuted.empty()) co_return false;  // no other host tells it otherwise
        open->refuted = open->answer->host;
        log::error("a host told other outcomes than those of the chain: another one is asked",
                   {{"tx_hash", open->pending.tx_hash}, {"host", open->refuted}});
        if (has_proofs(open->answer->tree->status.value)) agreement_->doubt(open->refuted);
        ask_anew(*open);
        co_return std::nullopt;
    }
    const bool ask = told == Outcomes::unproven || waited >= kAskAnotherAfter;
    if (ask && !open->asked_another && now >= open->ask_another_at) {
        const auto same = co_await another_host_tells_it(open);
        if (same.value_or(false)) co_return true;
        open->asked_another = same || is_history(*open);
        open->ask_another_at = now + kAskAnotherAfter;
    }
    if (told == Outcomes::unproven && open->asked_another) co_return false;
    state_.want_agreement();
    co_return std::nullopt;
}

base::Task<Trees::Outcomes> Trees::compare(const Open& open, const rpc::FinalBlocks& blocks) {
    base::HeightSet heights;
    for (const auto& [hash, block] : blocks) heights.add(block.height);
    const auto agreed = state_.heights.agreed();
    if (heights.last().value_or(0) >= agreed) co_return Outcomes::awaited;
    const auto above = co_await outcomes_->roots_above(std::move(heights), agreed);
    if (!open.answer) co_return Outcomes::awaited;
    auto word = Outcomes::confirmed;
    const auto look = [&](const chain::Outcome& outcome, const std::string& block_hash) {
        const auto block = blocks.find(block_hash);
        const auto found = block == blocks.end() ? above.end() : above.find(block->second.height);
        if (found == above.end() || !found->second.covered) return Outcomes::unproven;
        if (outcome.root.empty()) return Outcomes::unproven;
        const auto& roots = found->second;
        if (roots.roots.contains(outcome.root)) return Outcomes::confirmed;
        return roots.are_all ? Outcomes::refuted : Outcomes::awaited;
    };
    const auto add = [&word](Outcomes other) {
        if (other == Outcomes::refuted || word == Outcomes::confirmed) word = other;
        if (other == Outcomes::unproven && word == Outcomes::awaited) word = other;
    };
    const auto tree = open.answer->tree;
    const auto& status = tree->status.value;
    if (status.transaction_outcome) add(look(*status.transaction_outcome, open.pending.included_in.hash));
    for (const auto& outcome : status.receipts_outcome) add(look(outcome, std::string(outcome.block_hash)));
    co_return word;
}

base::Task<std::optional<bool>> Trees::another_host_tells_it(OpenTree open) {
    rpc::TreeSource::Query query;
    query.tx_hash = open->pending.tx_hash;
    query.sender_id = open->pending.sender_id;
    query.priority = priority_of(*open);
    query.included_in = {open->pending.included_in.height, open->pending.shard_id};
    query.elsewhere_than = open->answer->host;
    query.holds_room = true;
    const auto answer = co_await source_.tree(std::move(query));
    const auto* other = std::get_if<rpc::TreeSource::Tree>(&answer);
    if (other == nullptr || !open->answer || other->host == open->answer->host) co_return std::nullopt;
    co_return rpc::tell_the_same(other->status.value, open->answer->tree->status.value);
}

}  // namespace receiptd::follow
