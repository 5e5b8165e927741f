#include "rpc/neardata_service.hpp"

#include "base/coroutine.hpp"
#include "rpc/block_source.hpp"
#include "rpc/questions.hpp"
#include "rpc/whole_block_check.hpp"

#include <utility>

namespace receiptd::rpc {
namespace {

using WholeBlock = chain::Decoded<chain::WholeBlock>;

}  // namespace

Decoder<WholeBlock> whole_block_decoder(std::optional<chain::BlockHeight> height) {
    return [height](std::string body) -> base::Result<WholeBlock, std::string> {
        auto block = chain::decode_whole_block(std::move(body), chain::Parts::readable);
        if (!block) return refuse<WholeBlock>(block.error());
        const auto told = block->value.block.header.height;
        if (told > kHighest)
            return refuse<WholeBlock>("height " + std::to_string(told) + " is beyond any chain");
        if (height && told != *height)
            return refuse<WholeBlock>("asked for block " + std::to_string(*height) + ", got " +
                                      std::to_string(told));
        const auto wrong = compute_hashes(*block);
        if (!wrong.empty()) return refuse<WholeBlock>(wrong);
        return std::move(*block);
    };
}

NeardataService::NeardataService(base::asio::thread_pool& pool, std::shared_ptr<Router> router,
                                 std::shared_ptr<HeaderCheck> headers)
    : pool_(pool), router_(std::move(router)), headers_(std::move(headers)) {}

base::Task<base::Result<WholeBlockService::Head, Unavailable>> NeardataService::head() {
    auto call = get_neardata("/v0/last_block/final", Priority::head, std::nullopt);
    auto decode = whole_block_decoder(std::nullopt);
    auto answer = co_await decoded_call<WholeBlock>(*router_, pool_, std::move(call), std::move(decode));
    if (!answer) co_return unavailable(answer.error());
    host().showed(answer->value.value.block.header);
    Head told{chain::block_ref(answer->value.value.block.header), true};
    if (host().doubted()) co_return doubted(host());
    host().saw_block(told.block.height);
    if (told.block.height == router_->known_head()) kept_ = std::move(answer->value);
    co_return std::move(told);
}

base::Task<FetchResult> NeardataService::fetch(chain::BlockHeight height, Priority priority, bool) {
    if (kept_ && kept_->value.block.header.height == height) {
        auto whole = std::move(*kept_);
        kept_.reset();
        co_return co_await checked_contents(headers_, host().name(), std::move(whole));
    }
    auto call = get_neardata("/v0/block/" + std::to_string(height), priority, height);
    auto decode = whole_block_decoder(height);
    auto answer = co_await decoded_call<WholeBlock>(*router_, pool_, std::move(call), std::move(decode));
    if (answer) {
        host().showed(answer->value.value.block.header);
        co_return co_await checked_contents(headers_, host().name(), std::move(answer->value));
    }
    auto error = answer.error();
    if (error.absent && error.reason == "NO_BLOCK") co_return NoSuchHeight{error.detail};
    if (error.error_class == ErrorClass::not_yet) co_return NotYet{};
    co_return unavailable(std::move(error));
}

}  // namespace receiptd::rpc
