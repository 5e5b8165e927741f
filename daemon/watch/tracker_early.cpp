// Inclusions in blocks that are not final yet.
#include "base/coroutine.hpp"
#include "watch/tracker.hpp"

namespace receiptd::watch {
namespace {

// Above what the hosts agree on, which is looked at every 16 blocks.
constexpr chain::BlockHeight kFarAhead = 64;

}  // namespace

// No news is what a final block has decided already, and what no block can hold.
void Tracker::seen_early(const std::string& tx_hash, const chain::SeenEarly& seen) {
    const auto height = seen.inclusion.at.height;
    if (is_covered(height) || height > chain_.agreed_height() + kFarAhead) return;
    if (!index_.may_be_in(tx_hash, height) || !index_.touch(tx_hash)) return;
    early_.try_emplace(tx_hash, seen);
    moved_.notify_all();
}

// One look for all that the block includes.
base::Task<void> Tracker::look_for_early_block(const chain::WatchState& state, Page& page) {
    if (!state.early || !is_covered(state.early->at.height)) co_return;
    const auto [known, is_new] = page.of_the_chain.try_emplace(state.early->block_hash, false);
    if (!is_new) co_return;
    const auto block = co_await chain_.stored_block(state.early->block_hash);
    page.of_the_chain[state.early->block_hash] = block.has_value();
}

// The final block came while the page was looked at.
bool Tracker::is_decided_since(const chain::WatchState& state, const Page& page) const {
    return state.early && is_covered(state.early->at.height) &&
           !page.of_the_chain.contains(state.early->block_hash);
}

// The final block is stored, and does not list what it was said to include: rows may lack it.
void Tracker::ask_for_unlisted(Page& page) const {
    for (auto& watch : page.watches) {
        if (!watch.state.early) continue;
        const auto block = page.of_the_chain.find(watch.state.early->block_hash);
        if (block != page.of_the_chain.end() && block->second) watch.next_check_at = clock_.wall();
    }
}

std::vector<chain::Observation> Tracker::observations_of(const storage::Watch& watch, const Page& page) {
    std::vector<chain::Observation> observations;
    const auto& early = watch.state.early;
    const auto block = page.of_the_chain.find(early ? early->block_hash : std::string());
    if (block != page.of_the_chain.end() && !block->second)
        observations.emplace_back(chain::EarlyBlockLost{});
    bool is_listed = false;
    const auto add = [&](const chain::TreeSeen& seen) {
        is_listed = is_listed || seen.included_at;
        observations.emplace_back(seen);
    };
    if (const auto told = page.told.find(watch.tx_hash); told != page.told.end()) add(told->second);
    if (const auto tree = page.trees.find(watch.tx_hash); tree != page.trees.end())
        add(seen_of(watch.tx_hash, tree->second));
    if (const auto seen = page.seen_early.find(watch.tx_hash); seen != page.seen_early.end() && !is_listed)
        observations.emplace_back(seen->second);
    return observations;
}

}  // namespace receiptd::watch
