// Transaction trees over JSON-RPC (rpc.md §5).
#pragma once

#include "rpc/block_cache.hpp"
#include "rpc/chunk_search.hpp"
#include "rpc/decoded_call.hpp"
#include "rpc/header_check.hpp"
#include "rpc/listed_receipts.hpp"
#include "rpc/source.hpp"
#include "rpc/tree_limits.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/thread_pool.hpp>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::rpc {

// Whether the transaction's outcome is known and every receipt reachable from it has one. Pure.
bool is_complete(const chain::TransactionStatus& status);

// The methods that tell a tree, the best first: the newest nodes have the first, old ones the last alone,
// which tells no receipts.
inline constexpr std::array<const char*, 3> kTreeMethods{"tx_status", "EXPERIMENTAL_tx_status", "tx"};

// Ids of executed receipts whose bodies the status does not hold, in outcome order. Pure.
struct MissingBodies {
    std::vector<std::string> worth_asking;
    // The local initial receipt (signer == receiver): no chunk lists it, nodes that leave it out do not store
    // it, and its transaction tells it.
    std::vector<std::string> hopeless;
};
MissingBodies missing_bodies(const chain::TransactionStatus& status);

// The blocks of which a chunk lists a receipt: those above the block that made it, up to the one that
// executed it (chain-model.md §1.1).
struct ListedWithin {
    std::string receipt_id;
    std::string made_in;  // hash of the block
    std::string executed_in;
};
std::vector<ListedWithin> listed_within(const chain::TransactionStatus& status,
                                        const std::vector<std::string>& receipt_ids);

class RpcTreeSource final : public TreeSource {
public:
    // `headers`: null takes each header as it is told. `listed`: of the chunks that others fetch, too.
    RpcTreeSource(base::asio::any_io_executor executor, base::asio::thread_pool& pool,
                  std::shared_ptr<Router> router, std::shared_ptr<BlockCache> cache,
                  std::shared_ptr<HeaderCheck> headers = nullptr,
                  std::shared_ptr<ListedReceipts> listed = std::make_shared<ListedReceipts>());

    // Bodies are looked for once the tree is complete: until then it will be asked for again. In this order:
    // in the chunks in hand, in those that list them, in other hosts' answers, by EXPERIMENTAL_receipt.
    base::Task<TreeResult> tree(Query query) override;
    base::Task<base::Result<chain::BlockRef, Unavailable>> final_block(std::string hash,
                                                                       chain::BlockHeight final_height,
                                                                       Priority priority) override;
    void forget_blocks(const base::HeightSet& heights) override {
        cache_->forget(heights);
        listed_->forget(heights);
    }
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
        std::vector<chain::UnreadablePart> unreadable;
        std::string beyond;        // why one host's word is not enough
        chain::CryptoHash digest;  // then
        net::AnswerRoom::Share room;
    };
    struct Aside {
        std::optional<Status> partial;  // a small answer without an outcome of the transaction
        bool large = false;             // one was beyond the limits
    };
    static Decoder<Told> decoder(std::string tx_hash, TreeLimits limits);
    struct Bodies;
    base::Task<base::Result<Answer<Told>, CallError>> ask_for_status(std::string method, Query query,
                                                                     std::shared_ptr<Aside> aside);
    // The same of a tree that is beyond the limits: as two hosts tell it, each asked alone.
    base::Task<base::Result<Answer<Told>, CallError>> ask_two(std::string method, Query query,
                                                              CallError error);
    Call call_for(std::string method, const Query& query) const;
    base::Task<void> learn_limits(std::optional<Inclusion> at, Priority priority);
    base::Task<base::Result<Answer<Told>, CallError>> ask_by_any_method(Query query,
                                                                        std::shared_ptr<Aside> aside);
    // tree_bodies.cpp: adds the missing bodies that can be had.
    base::Task<void> complete_bodies(Tree& tree, MissingBodies missing, Query query);
    void take_listed(Tree& tree, std::vector<std::string>& missing) const;
    base::Task<void> search_chunks(Tree& tree, std::vector<std::string>& missing, Priority priority);
    using Heights = std::map<std::string, std::optional<chain::BlockHeight>>;
    base::Task<std::optional<chain::BlockHeight>> height_of(Heights& known, std::string hash,
                                                            Priority priority);
    base::Task<void> ask_other_hosts(Tree& tree, std::vector<std::string>& missing, Query query);
    static void take_told(Tree& tree, std::vector<std::string>& missing, Told answer);
    base::Task<void> ask_for_bodies(Tree& tree, std::vector<std::string>& missing, Priority priority);
    base::Task<void> fetch_bodies(std::shared_ptr<Bodies> bodies, Priority priority);
    using HeldBlock = base::Result<std::optional<chain::BlockRef>, CallError>;  // nullopt: all hosts deny it
    base::Task<HeldBlock> held_block(Call call, Decoder<chain::BlockRef> decode);
    // The lowest block at this height or shortly above it.
    base::Task<HeldBlock> held_block_from(chain::BlockHeight height, Priority priority);

    base::asio::any_io_executor executor_;
    base::asio::thread_pool& pool_;
    base::asio::thread_pool large_{1};  // works on large trees: blocks and other trees do not wait for them
    std::shared_ptr<net::AnswerRoom> room_;
    std::shared_ptr<Router> router_;
    std::shared_ptr<BlockCache> cache_;
    std::shared_ptr<HeaderCheck> headers_;
    std::shared_ptr<ListedReceipts> listed_;
    ChunkSearch chunks_;
    TreeLimits limits_;  // the newest known ones
};

}  // namespace receiptd::rpc
