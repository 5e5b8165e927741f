// Source rpc: a block by height and its new chunks by hash (rpc.md §4).
#pragma once

#include "rpc/block_cache.hpp"
#include "rpc/decoded_call.hpp"
#include "rpc/header_check.hpp"
#include "rpc/kept_early.hpp"
#include "rpc/listed_receipts.hpp"
#include "rpc/source.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <map>
#include <memory>

namespace receiptd::rpc {

class RpcBlockSource final : public BlockSource {
public:
    // `headers`: null takes each header as it is told. `listed`: gets the chunks; null: they are not kept.
    RpcBlockSource(base::asio::any_io_executor executor, base::asio::thread_pool& pool,
                   std::shared_ptr<Router> router, std::shared_ptr<BlockCache> cache,
                   std::shared_ptr<HeaderCheck> headers = nullptr,
                   std::shared_ptr<ListedReceipts> listed = nullptr);

    base::Task<base::Result<chain::BlockRef, Unavailable>> head() override;
    base::Task<FetchResult> fetch(chain::BlockHeight height, Priority priority, bool with_chunks) override;
    bool waits_for_next() const override { return false; }
    bool tells_outcomes() const override { return false; }

    // fetch() in two steps: the final block at this height, whose header may be taken, else the result of the
    // fetch; then its chunks.
    using BlockAnswer = Answer<chain::Decoded<chain::Block>>;
    base::Task<std::variant<BlockAnswer, FetchResult>> find(chain::BlockHeight height, Priority priority);
    base::Task<FetchResult> complete(BlockAnswer block, Priority priority, bool with_chunks);
    // It is found again without a question.
    void keep(BlockAnswer block);
    // A block that is not final yet, with its new chunks; they are kept until it is.
    base::Task<base::Result<EarlyBlock, Unavailable>> early(BlockAnswer block);

private:
    base::Task<std::variant<BlockAnswer, FetchResult>> block_at(chain::BlockHeight height, Priority priority);
    base::Task<base::Result<BlockAnswer, CallError>> ask_for_block(chain::BlockHeight height,
                                                                   Priority priority);
    // One result per new chunk of the block, in the block's order.
    struct Chunks;
    base::Task<void> fetch_chunk(std::shared_ptr<Chunks> chunks, std::size_t index, Call call,
                                 std::string hash);
    enum class Finality : std::uint8_t { final, optimistic };
    base::Task<std::shared_ptr<Chunks>> fetch_chunks(const BlockAnswer& block, Priority priority,
                                                     Finality finality = Finality::final);
    SharedChunk kept_chunk(chain::BlockHeight height, const std::string& hash);
    std::optional<BlockAnswer> take(chain::BlockHeight height);

    base::asio::any_io_executor executor_;
    base::asio::thread_pool& pool_;
    std::shared_ptr<Router> router_;
    std::shared_ptr<BlockCache> cache_;
    std::shared_ptr<HeaderCheck> headers_;
    std::shared_ptr<ListedReceipts> listed_;
    std::map<chain::BlockHeight, BlockAnswer> kept_;              // blocks had by asking for the head
    KeptEarly<std::map<std::string, SharedChunk>> early_chunks_;  // by hash
};

// No chain has come that far: 30 years of a block each microsecond.
inline constexpr chain::BlockHeight kHighest = 1'000'000'000'000'000;

// `height`: nullopt takes the block at any height.
Decoder<chain::Decoded<chain::Block>> block_decoder(std::optional<chain::BlockHeight> height);

// Reads a block, which must have this hash.
Decoder<chain::BlockRef> block_with_hash(std::string hash);

// The word of a host that is not believed now.
Unavailable doubted(const Upstream& host);

// CallError as the contract of source.hpp says it.
Unavailable unavailable(CallError error);

}  // namespace receiptd::rpc
