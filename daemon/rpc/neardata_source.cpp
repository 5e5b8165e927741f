#include "rpc/neardata_source.hpp"

#include "base/coroutine.hpp"
#include "chain/proof/header_hash.hpp"
#include "chain/proof/outcomes_root.hpp"
#include "rpc/block_contents.hpp"
#include "rpc/block_source.hpp"
#include "rpc/questions.hpp"

#include <utility>

namespace receiptd::rpc {
namespace {

using WholeBlock = chain::Decoded<chain::WholeBlock>;

}  // namespace

Decoder<WholeBlock> whole_block_decoder(std::optional<chain::BlockHeight> height) {
    return [height](std::string body) -> base::Result<WholeBlock, std::string> {
        auto block = chain::decode_whole_block(std::move(body));
        if (!block) return refuse<WholeBlock>(block.error());
        const auto told = block->value.block.header.height;
        if (told > kHighest)
            return refuse<WholeBlock>("height " + std::to_string(told) + " is beyond any chain");
        if (height && told != *height)
            return refuse<WholeBlock>("asked for block " + std::to_string(*height) + ", got " +
                                      std::to_string(told));
        auto& whole = block->value;
        whole.block.header.hash_is = chain::header_hash(*block->document, whole.block.header);
        whole.block.covers_chunks = chain::covers_chunks(whole.block);
        for (auto& shard : whole.shards) {
            const auto root = chain::outcomes_root(shard);
            if (!root)
                return refuse<WholeBlock>("an outcome of shard " + std::to_string(shard.shard_id) +
                                          " has an id or a result that is no hash or no base64");
            shard.outcomes_root = root->to_string();
        }
        return std::move(*block);
    };
}

NeardataSource::NeardataSource(base::asio::thread_pool& pool, std::shared_ptr<Router> router,
                               std::shared_ptr<HeaderCheck> headers, std::shared_ptr<BlockSource> elsewhere)
    : pool_(pool),
      router_(std::move(router)),
      headers_(std::move(headers)),
      elsewhere_(std::move(elsewhere)) {}

base::Task<base::Result<chain::BlockRef, Unavailable>> NeardataSource::head() {
    auto call = get_neardata("/v0/last_block/final", Priority::head, std::nullopt);
    auto decode = whole_block_decoder(std::nullopt);
    auto answer = co_await decoded_call<WholeBlock>(*router_, pool_, std::move(call), std::move(decode));
    if (!answer) co_return unavailable(answer.error());
    router_->hosts().front()->showed(answer->value.value.block.header);
    auto told = chain::block_ref(answer->value.value.block.header);
    if (host().doubted())
        co_return Unavailable{"doubted", host().name() + " has told what is not of this chain"};
    router_->hosts().front()->saw_block(told.height);
    if (told.height == router_->known_head()) kept_ = std::move(answer->value);
    co_return std::move(told);
}

base::Task<FetchResult> NeardataSource::fetch(chain::BlockHeight height, Priority priority, bool) {
    if (kept_ && kept_->value.block.header.height == height) {
        auto whole = std::move(*kept_);
        kept_.reset();
        co_return co_await checked(std::move(whole));
    }
    auto call = get_neardata("/v0/block/" + std::to_string(height), priority, height);
    auto decode = whole_block_decoder(height);
    auto answer = co_await decoded_call<WholeBlock>(*router_, pool_, std::move(call), std::move(decode));
    if (answer) {
        router_->hosts().front()->showed(answer->value.value.block.header);
        co_return co_await checked(std::move(answer->value));
    }
    auto error = answer.error();
    if (error.absent && error.reason == "NO_BLOCK") co_return NoSuchHeight{error.detail};
    if (error.error_class == ErrorClass::not_yet) co_return NotYet{};
    co_return unavailable(std::move(error));
}

base::Task<FetchResult> NeardataSource::fetch_elsewhere(chain::BlockHeight height, Priority priority,
                                                        bool with_chunks) {
    if (elsewhere_) return elsewhere_->fetch(height, priority, with_chunks);
    return BlockSource::fetch_elsewhere(height, priority, with_chunks);
}

base::Task<FetchResult> NeardataSource::checked(WholeBlock whole) {
    if (headers_) {
        auto refusal = co_await headers_->refusal(whole.value.block, host().name());
        if (refusal) co_return std::move(*refusal);
    }
    co_return std::make_unique<NeardataBlock>(host().name(), std::move(whole));
}

}  // namespace receiptd::rpc
