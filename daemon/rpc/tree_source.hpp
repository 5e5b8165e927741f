// Transaction trees over JSON-RPC (rpc.md §5).
#pragma once

#include "rpc/block_cache.hpp"
#include "rpc/decoded_call.hpp"
#include "rpc/header_check.hpp"
#include "rpc/source.hpp"
#include "rpc/tree_limits.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <string>
#include <vector>

namespace receiptd::rpc {

// Whether the transaction's outcome is known and every receipt reachable from it has one. Pure.
bool is_complete(const chain::TransactionStatus& status);

// Ids of executed receipts whose bodies the status does not hold, in outcome order. Pure.
struct MissingBodies {
    std::vector<std::string> worth_asking;
    // The local initial receipt (signer == receiver): nodes that leave it out do not store it.
    std::vector<std::string> hopeless;
};
MissingBodies missing_bodies(const chain::TransactionStatus& status);

class RpcTreeSource final : public TreeSource {
public:
    // `headers`: null takes each header as it is told.
    RpcTreeSource(base::asio::any_io_executor executor, base::asio::thread_pool& pool,
                  std::shared_ptr<Router> router, std::shared_ptr<BlockCache> cache,
                  std::shared_ptr<HeaderCheck> headers = nullptr);

    // Bodies are asked for once the tree is complete: until then it will be asked for again.
    base::Task<TreeResult> tree(Query query) override;
    base::Task<base::Result<chain::BlockRef, Unavailable>> final_block(std::string hash,
                                                                       chain::BlockHeight final_height,
                                                                       Priority priority) override;
    void forget_blocks(const base::HeightSet& heights) override { cache_->forget(heights); }
    base::Task<std::optional<bool>> holds_blocks(base::HeightRange heights, Priority priority) override;
    base::Task<std::optional<chain::ShardLayout>> shard_layout(chain::BlockHeight height,
                                                               std::optional<ShardWitness> witness,
                                                               Priority priority) override;

private:
    using Status = chain::Decoded<chain::TransactionStatus>;
    // An answer as it is read on the pool.
    struct Told {
        Status status;
        bool complete = false;
        MissingBodies missing;
        std::string beyond;        // why one host's word is not enough
        chain::CryptoHash digest;  // then
    };
    struct Aside {
        std::optional<Status> partial;  // an answer without an outcome of the transaction
        bool large = false;             // one was beyond the limits
    };
    static Decoder<Told> decoder(std::string tx_hash, TreeLimits limits);
    struct Bodies;
    base::Task<base::Result<Answer<Told>, CallError>> ask_for_status(std::string method, Query query,
                                                                     std::shared_ptr<Aside> aside);
    // The same of a tree that is beyond the limits: as two hosts tell it, each asked alone.
    base::Task<base::Result<Answer<Told>, CallError>> ask_two(std::string method, Query query,
                                                              CallError error);
    base::Task<void> learn_limits(std::optional<Inclusion> at, Priority priority);
    // Adds the missing bodies; an error if a host failed to say whether it has one.
    base::Task<std::optional<Unavailable>> complete_bodies(Tree& tree, MissingBodies missing,
                                                           Priority priority);
    base::Task<void> fetch_bodies(std::shared_ptr<Bodies> bodies, Priority priority);
    using HeldBlock = base::Result<std::optional<chain::BlockRef>, CallError>;  // nullopt: all hosts deny it
    base::Task<HeldBlock> held_block(Call call, Decoder<chain::BlockRef> decode);
    // The lowest block at this height or shortly above it.
    base::Task<HeldBlock> held_block_from(chain::BlockHeight height, Priority priority);

    base::asio::any_io_executor executor_;
    base::asio::thread_pool& pool_;
    std::shared_ptr<Router> router_;
    std::shared_ptr<BlockCache> cache_;
    std::shared_ptr<HeaderCheck> headers_;
    TreeLimits limits_;  // the newest known ones
};

}  // namespace receiptd::rpc
