#include "rpc/shard_layouts.hpp"

#include "base/coroutine.hpp"

#include <utility>

namespace receiptd::rpc {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t kMostEpochs = 64;
constexpr auto kAskAgain = 1min;

}  // namespace

ShardLayouts::ShardLayouts(base::asio::any_io_executor executor, TreeSource& source, const base::Clock& clock)
    : source_(source), clock_(clock), answered_(std::move(executor)) {}

base::Task<std::shared_ptr<const chain::ShardLayout>> ShardLayouts::of(chain::BlockRef block,
                                                                       std::optional<Witness> witness,
                                                                       Priority priority) {
    if (block.epoch_id.empty()) co_return nullptr;
    while (epochs_[block.epoch_id].asking) co_await answered_.wait();
    const auto now = clock_.steady();
    auto& known = epochs_[block.epoch_id];
    const bool refuted =
        known.layout && witness && known.layout->shard_of(witness->account_id) != witness->shard_id;
    if (refuted) known = {};  // a host told it when there was nothing to compare it with
    if (known.layout || now < known.ask_at) co_return known.layout;
    if (epochs_.size() > kMostEpochs)
        std::erase_if(epochs_,
                      [&](const auto& each) { return !each.second.asking && each.first != block.epoch_id; });
    epochs_[block.epoch_id].asking = true;
    auto told = co_await source_.shard_layout(block.height, std::move(witness), priority);
    auto& epoch = epochs_[block.epoch_id];
    epoch.layout = told ? std::make_shared<const chain::ShardLayout>(std::move(*told)) : nullptr;
    epoch.ask_at = now + kAskAgain;
    epoch.asking = false;
    auto layout = epoch.layout;
    answered_.notify_all();
    co_return layout;
}

}  // namespace receiptd::rpc
