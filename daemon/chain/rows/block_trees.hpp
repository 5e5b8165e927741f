// Finds the tree, the parent and the scope of everything in one whole block.
//
// Most receipts were announced by an outcome of an earlier block (Lineage); local receipts descend
// from a transaction of the same block, instant and yielded ones from a receipt of the same block.
// An item that the block names twice (a transaction repeated in a chunk, chain-model.md §1.2) counts once,
// and so does an outcome that an earlier block told already.
#pragma once

#include "chain/json/id_maps.hpp"
#include "chain/rows/rows.hpp"
#include "chain/rows/rows_write.hpp"
#include "chain/tree/lineage.hpp"
#include "chain/tree/roles.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace receiptd::chain {

class BlockTrees {
public:
    // Takes what the block executes from `lineage`. All three must outlive this object.
    BlockTrees(const WholeBlock& block, const Scope& scope, Lineage& lineage);

    struct TransactionNode {
        const ExecutedTransaction* transaction = nullptr;
        ShardId shard_id = 0;
        std::optional<std::uint64_t> index_in_chunk;  // nullopt: not known
        bool in_scope = false;
    };
    const std::vector<TransactionNode>& transactions() const { return transactions_; }

    struct Node {
        const ExecutedReceipt* receipt = nullptr;
        ShardId shard_id = 0;
        std::optional<std::uint64_t> index_in_chunk;  // order of execution; nullopt: not proven
        TreeRef tree;
        Text parent_receipt_id;
        std::optional<ParentFacts> parent;  // nullopt: not seen
        bool parent_is_here = false;        // a receipt of this block
        bool in_scope = false;
        // Where it is a local receipt, executed in the block that has its transaction.
        const SignedTransaction* local_of = nullptr;
    };
    // In the order of the block: shard by shard, each in execution order.
    const std::vector<Node>& executed() const { return nodes_; }

    struct DataPlace {
        TreeRef tree;
        bool in_scope = false;
        bool known = false;
    };
    // Takes the data's origin from the lineage; valid until the next call.
    DataPlace place_data(const Receipt& data);

    // Tells the lineage what this block's outcomes spawned. Call last, once.
    void announce_children();

private:
    // The outcome of this same block that spawned a receipt of it.
    struct Spawner {
        enum class Kind : std::uint8_t { none, transaction, receipt } kind = Kind::none;
        std::size_t index = 0;
    };
    BlockHeight height() const { return block_.block.header.height; }
    bool is_told_again(const ExecutedTransaction& item);
    void collect();
    void collect(const WholeBlockShard& shard);
    void link(const Outcome& outcome, Spawner spawner);
    void resolve_all();
    void resolve(std::size_t index);
    void adopt(Node& node, const Spawner& spawner);
    void adopt_from_lineage(Node& node);
    void announce(const Outcome& outcome, const Parentage& parentage);
    static ParentFacts facts_of(const Node& parent, Text child_id);

    const WholeBlock& block_;
    const Scope& scope_;
    Lineage& lineage_;
    std::vector<TransactionNode> transactions_;
    std::vector<Node> nodes_;
    std::vector<Spawner> spawners_;  // of nodes_, by index
    std::vector<Parentage> taken_;   // keeps what nodes_ point into
    Lineage::DataOrigin data_origin_;
    IdSet transaction_hashes_;
    IdMap<std::size_t> node_by_id_;
    IdMap<std::size_t> awaiting_;  // data id -> node that was executed with it
    std::vector<Text> children_;   // of one outcome
};

}  // namespace receiptd::chain
