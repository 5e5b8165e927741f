#include "rpc/early_blocks.hpp"

#include "base/coroutine.hpp"
#include "rpc/neardata_service.hpp"
#include "rpc/questions.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::rpc {
namespace {

using ToldBlock = chain::Decoded<chain::Block>;

// More than lie between the final head and the newest block while the chain works.
constexpr std::size_t kHeightsKnown = 32;
constexpr std::size_t kMostAtOnce = 8;
constexpr std::size_t kForksKnown = 16;  // blocks of one height

// `hash`: that was asked for; empty: any.
std::optional<Unavailable> why_not_shown(Upstream& host, const chain::BlockHeader& header,
                                         const std::string& hash) {
    const bool is_other = !hash.empty() && header.hash != hash;
    if (is_other || header.hash_is == chain::HeaderHash::different)
        return Unavailable{kFalseHeader, host.name() + " shows a block whose hash is another one"};
    if (host.doubted()) return doubted(host);
    return std::nullopt;
}

}  // namespace

// Final, told, or of a host that invents blocks.
bool RpcEarlyBlocks::is_no_news(chain::BlockHeight height, const std::string& hash) const {
    const auto final_height = router_->known_head().value_or(0);
    if (height <= final_height || height > final_height + kHeightsKnown) return true;
    const auto found = told_.find(height);
    return found != told_.end() && (found->second.contains(hash) || found->second.size() >= kForksKnown);
}

void RpcEarlyBlocks::tell(chain::BlockHeight height, const std::string& hash) {
    told_[height].insert(hash);
    while (told_.size() > kHeightsKnown) told_.erase(told_.begin());
}

base::Task<base::Result<RpcEarlyBlocks::BlockAnswer, Unavailable>> RpcEarlyBlocks::ask(Call call,
                                                                                       std::string hash) {
    auto answer =
        co_await decoded_call<ToldBlock>(*router_, pool_, std::move(call), block_decoder(std::nullopt));
    if (!answer) co_return unavailable(answer.error());
    const auto& header = answer->value.value.header;
    if (auto why = why_not_shown(*router_->hosts()[answer->host], header, hash)) co_return std::move(*why);
    co_return std::move(*answer);
}

// Blocks that came since the last question are asked for by the hash that the one above them names.
base::Task<base::Result<std::vector<EarlyBlock>, Unavailable>> RpcEarlyBlocks::next() {
    std::vector<EarlyBlock> blocks;
    std::string any;
    auto answer = co_await ask(ask_newest_block(Priority::watch), std::move(any));
    while (answer) {
        auto block = chain::block_ref(answer->value.value.header);
        if (is_no_news(block.height, block.hash)) break;
        const auto host = answer->host;
        auto early = co_await open_(std::move(*answer));
        if (!early) break;
        tell(block.height, block.hash);
        blocks.push_back(std::move(*early));
        const auto below = block.prev_height.value_or(block.height - 1);
        if (is_no_news(below, block.prev_hash) || blocks.size() == kMostAtOnce) break;
        auto call = ask_block(block.prev_hash, Priority::watch);
        call.only_host = host;
        answer = co_await ask(std::move(call), block.prev_hash);
    }
    if (!answer && blocks.empty()) co_return answer.error();
    co_return std::move(blocks);
}

EarlyBlock early_block(const chain::WholeBlock& whole, std::string host) {
    EarlyBlock early{chain::block_ref(whole.block.header), std::move(host), {}};
    for (const auto& shard : whole.shards)
        for (const auto& item : shard.transactions) early.tx_hashes.emplace_back(item.transaction.hash);
    return early;
}

base::Task<base::Result<std::vector<EarlyBlock>, Unavailable>> NeardataEarlyBlocks::next() {
    const auto head = router_->known_head();
    std::vector<EarlyBlock> blocks;
    if (!head) co_return std::move(blocks);
    next_ = std::max(next_, *head + 1);
    if (next_ > *head + kHeightsKnown) next_ = *head + 1;
    auto call = get_early_neardata(next_, Priority::watch);
    auto answer = co_await decoded_call<chain::Decoded<chain::WholeBlock>>(*router_, pool_, std::move(call),
                                                                           whole_block_decoder(next_));
    if (answer) {
        auto& host = *router_->hosts()[answer->host];
        if (auto why = why_not_shown(host, answer->value.value.block.header, {})) co_return std::move(*why);
        ++next_;
        blocks.push_back(early_block(answer->value.value, host.name()));
        co_return std::move(blocks);
    }
    auto error = answer.error();
    const bool is_skipped = error.absent && error.reason == "NO_BLOCK";
    if (is_skipped) ++next_;
    if (is_skipped || error.error_class == ErrorClass::not_yet) co_return std::move(blocks);
    co_return unavailable(std::move(error));
}

}  // namespace receiptd::rpc
