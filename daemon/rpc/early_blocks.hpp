// Blocks that are not final yet, for who waits for a transaction.
#pragma once

#include "rpc/block_source.hpp"
#include "rpc/router.hpp"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace receiptd::rpc {

class EarlyBlocks {
public:
    virtual ~EarlyBlocks() = default;

    // The blocks that were not told before, the newest first; none: nothing is new, ask again in the chain's
    // rhythm. One question, where the chain has gone on by one block.
    virtual base::Task<base::Result<std::vector<EarlyBlock>, Unavailable>> next() = 0;
    // Whether next() waits by itself until the block exists (long poll).
    virtual bool waits() const = 0;
};

// Blocks of JSON-RPC hosts: `block` with finality optimistic, and what `open` asks for.
class RpcEarlyBlocks final : public EarlyBlocks {
public:
    using BlockAnswer = RpcBlockSource::BlockAnswer;
    // The contents of a block that a host shows; they are kept until it is final.
    using Open = std::function<base::Task<base::Result<EarlyBlock, Unavailable>>(BlockAnswer)>;

    RpcEarlyBlocks(base::asio::thread_pool& pool, std::shared_ptr<Router> router, Open open)
        : pool_(pool), router_(std::move(router)), open_(std::move(open)) {}

    base::Task<base::Result<std::vector<EarlyBlock>, Unavailable>> next() override;
    bool waits() const override { return false; }

private:
    base::Task<base::Result<BlockAnswer, Unavailable>> ask(Call call, std::string hash);
    bool is_no_news(chain::BlockHeight height, const std::string& hash) const;
    void tell(chain::BlockHeight height, const std::string& hash);

    base::asio::thread_pool& pool_;
    std::shared_ptr<Router> router_;
    Open open_;
    std::map<chain::BlockHeight, std::set<std::string>> told_;  // the newest heights
};

// Blocks of neardata, height by height.
class NeardataEarlyBlocks final : public EarlyBlocks {
public:
    NeardataEarlyBlocks(base::asio::thread_pool& pool, std::shared_ptr<Router> router)
        : pool_(pool), router_(std::move(router)) {}

    base::Task<base::Result<std::vector<EarlyBlock>, Unavailable>> next() override;
    bool waits() const override { return true; }

private:
    base::asio::thread_pool& pool_;
    std::shared_ptr<Router> router_;
    chain::BlockHeight next_ = 0;
};

// The transactions that the block lists.
EarlyBlock early_block(const chain::WholeBlock& whole, std::string host);

}  // namespace receiptd::rpc
