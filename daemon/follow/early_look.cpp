#include "follow/early_look.hpp"

#include "base/coroutine.hpp"
#include "follow/commit_listener.hpp"

#include <chrono>

namespace receiptd::follow {
namespace {

using namespace std::chrono_literals;

constexpr base::Duration kIdle = 100ms;  // between two looks whether somebody waits

}  // namespace

base::Task<void> EarlyLook::run() {
    while (!state_.stop.requested()) {
        if (state_.listener == nullptr || !state_.listener->awaits_inclusion()) {
            rhythm_ = BlockRhythm();
            co_await state_.pause(kIdle);
            continue;
        }
        co_await look();
        co_await state_.pause(rhythm_.next_poll() - state_.clock.steady());
    }
}

// Nothing is lost where a host fails here: final blocks tell the same.
base::Task<void> EarlyLook::look() {
    const auto asked_at = state_.clock.steady();
    const auto blocks = co_await blocks_.next();
    if (!blocks || blocks->empty()) {
        rhythm_.saw_nothing(state_.clock.steady());
        co_return;
    }
    for (const auto& block : *blocks) tell(block);
    if (blocks_.waits())
        rhythm_.ask_soon(state_.clock.steady());
    else
        rhythm_.saw(blocks->front().block.height, asked_at);
}

void EarlyLook::tell(const rpc::EarlyBlock& block) {
    chain::SeenEarly seen;
    seen.inclusion.at = {block.block.height, block.block.timestamp_nanosec};
    seen.inclusion.block_hash = block.block.hash;
    seen.host = block.host;
    for (const auto& tx_hash : block.tx_hashes)
        if (state_.listener->wants(tx_hash)) state_.listener->seen_early(tx_hash, seen);
}

}  // namespace receiptd::follow
