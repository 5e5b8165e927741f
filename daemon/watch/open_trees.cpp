#include "watch/open_trees.hpp"

#include "base/coroutine.hpp"
#include "base/offload.hpp"
#include "rpc/final_tree.hpp"

#include <utility>
#include <variant>

namespace receiptd::watch {
namespace {

constexpr auto kFresh = std::chrono::seconds(1);
constexpr auto kPriority = rpc::Priority::gap;  // readers wait behind the head, watches and trees
constexpr std::size_t kMostRemembered = 1'000;  // receipts of a tree

struct Final {
    rpc::TreeSource::Tree tree;
    rpc::FinalBlocks blocks;
    rpc::EpochLayouts layouts;
};

base::Task<OpenTree> judge_on(base::asio::thread_pool& cpu, Final final) {
    return base::offload(cpu, [final = std::move(final)] {
        OpenTree open;
        open.transaction = chain::transaction_facts(*final.tree.status.value.transaction);
        open.tree = rpc::judge_final(final.tree, final.blocks, std::nullopt, final.layouts);
        return open;
    });
}

}  // namespace

OpenTrees::OpenTrees(base::asio::any_io_executor executor, base::asio::thread_pool& cpu,
                     rpc::TreeSource& trees, const base::Clock& clock,
                     std::function<std::optional<chain::BlockHeight>()> final_height)
    : cpu_(cpu),
      trees_(trees),
      clock_(clock),
      final_height_(std::move(final_height)),
      layouts_(std::move(executor), trees, clock) {}

base::Task<std::optional<OpenTree>> OpenTrees::tree(std::string tx_hash, std::string sender_id) {
    const auto now = clock_.steady();
    std::erase_if(known_, [&](const auto& known) { return known.second.at + kFresh <= now; });
    if (const auto known = known_.find(tx_hash); known != known_.end()) co_return known->second.tree;
    rpc::TreeSource::Query query;
    query.tx_hash = tx_hash;
    query.sender_id = std::move(sender_id);
    query.priority = kPriority;
    auto answer = co_await trees_.tree(std::move(query));
    auto* told = std::get_if<rpc::TreeSource::Tree>(&answer);
    if (told == nullptr || !told->status.value.transaction) co_return std::nullopt;
    const rpc::BlockLimits final_ones{final_height_().value_or(0)};
    Final final;
    final.blocks = co_await rpc::blocks_of(trees_, told->status.value, kPriority, final_ones);
    final.layouts = co_await rpc::layouts_of(layouts_, final.blocks, kPriority);
    final.tree = std::move(*told);
    auto open = co_await judge_on(cpu_, std::move(final));
    if (open.tree.receipts.size() <= kMostRemembered) known_[std::move(tx_hash)] = {open, clock_.steady()};
    co_return open;
}

}  // namespace receiptd::watch
