// Source neardata: the rows of a whole block.
#include "chain/json/id_maps.hpp"
#include "chain/rows/block_trees.hpp"
#include "chain/rows/rows_scope.hpp"
#include "chain/rows/rows_write.hpp"
#include "chain/tree/lineage.hpp"
#include "chain/tree/live_trees.hpp"
#include "chain/tree/user.hpp"

#include <algorithm>
#include <optional>

namespace receiptd::chain {

namespace {

const WholeBlockShard* find_shard(const WholeBlock& block, ShardId shard_id) {
    for (const auto& shard : block.shards)
        if (shard.shard_id == shard_id) return &shard;
    return nullptr;
}

// A shard without a new chunk executes nothing.
Text executed_root(const WholeBlockShard* shard, bool missing) {
    if (shard == nullptr) return missing ? Text() : kZeroHash;
    return missing && shard->outcomes_root == kZeroHash ? Text() : Text(shard->outcomes_root);
}

void write_chunks(RowBatch& batch, RowPlace place, const WholeBlock& whole) {
    const auto height = whole.block.header.height;
    const bool covered = whole.block.covers_chunks;
    for (const auto* chunk : chunk_of_each_shard(whole.block)) {
        const auto* shard = find_shard(whole, chunk->shard_id);
        const bool no_new_chunk = shard != nullptr && !shard->chunk_header;
        const bool missing = no_new_chunk || chunk->height_included != height;
        write_chunk(batch, place, {chunk->shard_id, chunk, missing, executed_root(shard, missing), covered});
    }
    for (const auto& shard : whole.shards) {  // old recordings list no chunks in the block
        const auto is_listed = [&shard](const ChunkHeader& chunk) {
            return chunk.shard_id == shard.shard_id;
        };
        const auto& chunks = whole.block.chunks;
        if (std::none_of(chunks.begin(), chunks.end(), is_listed))
            write_chunk(batch, place, {shard.shard_id, nullptr, true, executed_root(&shard, true), covered});
    }
}

// The code of a local DeployGlobalContract shows in whole blocks as the hash of its hash; in its transaction
// it is the hash, as everywhere else. nullopt: the receipt shows what it should.
std::optional<Receipt> corrected(const BlockTrees::Node& node) {
    constexpr Text kDeploys = "DeployGlobalContract";
    const auto& receipt = node.receipt->receipt;
    if (node.local_of == nullptr || receipt.actions_json.find(kDeploys) == Text::npos) return std::nullopt;
    auto made = receipt;
    made.actions_json = node.local_of->actions_json;
    return made;
}

class WholeBlockRows {
public:
    // `live_trees` may be null.
    WholeBlockRows(RowBatch& batch, const RowPlace& place, const WholeBlock& whole, BlockTrees& trees,
                   const LiveTrees* live_trees)
        : batch_(batch), place_(place), whole_(whole), trees_(trees), live_trees_(live_trees) {
        const auto* interest = batch.happened.interest.get();
        is_asked_ = interest != nullptr && interest->kinds() != 0;
        if (!is_asked_) return;
        for (const auto& node : trees.transactions())
            users_.emplace(node.transaction->transaction.hash, asked_by(node.transaction->transaction));
    }

    void write() {
        for (const auto& node : trees_.transactions())
            if (node.in_scope) transaction(node);
        for (const auto& node : trees_.executed())
            if (node.in_scope) executed(node);
        for (const auto& shard : whole_.shards) {
            listed_data(shard);
            listed_contracts(shard);
        }
    }

    // Room for what will be written, so that the texts need not move while they grow.
    void reserve() {
        std::size_t transactions = 0;
        for (const auto& node : trees_.transactions())
            if (node.in_scope)
                transactions += node.transaction->transaction.actions_json.size() + kTransactionBytes;
        std::size_t receipts = 0;
        std::size_t events = 0;
        for (const auto& node : trees_.executed()) {
            if (!node.in_scope) continue;
            const auto& [outcome, receipt, tx_hash] = *node.receipt;
            receipts += receipt.actions_json.size() + outcome.status.success_value.size() + kReceiptBytes;
            for (const auto log : outcome.logs) {
                receipts += log.size() + kLogBytes;
                events += log.size() + kEventBytes;
            }
        }
        batch_[Table::transactions].piece().reserve(transactions);
        batch_[Table::receipts].piece().reserve(receipts);
        batch_[Table::events].piece().reserve(events);
    }

private:
    // A tenth more than recorded blocks have on average, beside the texts that are counted: room that is not
    // used waits for the database with the rows.
    static constexpr std::size_t kTransactionBytes = 430;
    static constexpr std::size_t kReceiptBytes = 560;
    static constexpr std::size_t kLogBytes = 8;
    static constexpr std::size_t kEventBytes = 200;

    void transaction(const BlockTrees::TransactionNode& node) {
        const auto& item = *node.transaction;
        place_.shard_id = node.shard_id;
        place_.index_in_chunk = node.index_in_chunk;
        write_transaction(batch_, place_, item.transaction, item.outcome ? &*item.outcome : nullptr);
        if (!item.outcome)  // other hosts may know it
            write_pending_tree(batch_, whole_.block.header, item.transaction, node.shard_id);
    }

    void executed(const BlockTrees::Node& node) {
        const auto& item = *node.receipt;
        place_.shard_id = node.shard_id;
        place_.index_in_chunk = node.index_in_chunk;
        const auto instead = corrected(node);
        const Receipt& body = instead ? *instead : item.receipt;
        auto tree = node.tree;
        if (is_asked_) name_people(tree, node);
        write_receipt(batch_, place_, item.outcome, &body, tree, node.parent_receipt_id,
                      role_of(item.receipt, node.parent));
        if (!node.parent) write_orphan(batch_, place_, "receipt", item.outcome.id, node.tree.tree_id);
    }

    static LiveTrees::Asked asked_by(const SignedTransaction& transaction) {
        return {transaction.signer_id, relayed_user(transaction)};
    }

    void name_people(TreeRef& tree, const BlockTrees::Node& node) const {
        if (node.parent) tree.payer_id = node.parent->payer_id;
        const auto known = users_.find(tree.tx_hash());
        auto asked = known == users_.end() ? std::nullopt : std::optional(known->second);
        if (!asked && live_trees_ != nullptr) asked = live_trees_->asked_by(tree.tx_hash());
        if (!asked) return;
        tree.signer_id = asked->signer_id;
        tree.user_id = asked->user_id;
    }

    // The scope does not matter: there are few, and anybody may use one.
    void listed_contracts(const WholeBlockShard& shard) {
        for (const auto& receipt : shard.listed_contracts)
            if (contracts_listed_.insert(receipt.receipt_id).second)
                write_distribution(batch_, place_, receipt);
    }

    void listed_data(const WholeBlockShard& shard) {
        place_.shard_id = shard.shard_id;
        for (const auto& receipt : shard.listed_data) {
            if (!data_listed_.insert(receipt.receipt_id).second) continue;
            const auto data = trees_.place_data(receipt);
            if (!data.in_scope && !receipt.is_promise_resume) continue;
            write_data_receipt(batch_, place_, receipt, data.tree);
            if (!data.known) write_orphan(batch_, place_, "data", receipt.data_id, data.tree.tree_id);
        }
    }

    RowBatch& batch_;
    RowPlace place_;
    const WholeBlock& whole_;
    BlockTrees& trees_;
    const LiveTrees* live_trees_;
    bool is_asked_ = false;          // somebody wants to be told of what receipts do
    IdMap<LiveTrees::Asked> users_;  // of the transactions of this block
    IdSet data_listed_;
    IdSet contracts_listed_;
};

void judge(const BlockTrees::Node& node, ExecutedAt at, LiveTrees& live_trees) {
    if (!node.tree.is_transaction) return;
    const auto& item = *node.receipt;
    if (node.parent)
        live_trees.executed(node.tree.tree_id,
                            {node.parent_receipt_id, item.receipt, item.outcome,
                             role_of(item.receipt, node.parent), result_chain_of(node.parent), node.in_scope},
                            at);
    else
        live_trees.forget(node.tree.tree_id, node.in_scope);
}

// A tree is judged where all of it is seen; who takes care of a failure in scope may be out of it. Instant
// receipts come after their parents, which may stand behind them; they make no others.
void judge(RowBatch& batch, const WholeBlock& whole, const BlockTrees& trees, LiveTrees& live_trees) {
    const auto& header = whole.block.header;
    const ExecutedAt at{header.height, header.timestamp_nanosec};
    for (const auto& node : trees.transactions())
        if (const auto& item = *node.transaction; item.outcome)
            live_trees.transaction(item.transaction, *item.outcome, at, node.in_scope);
    for (const auto& shard : whole.shards)
        for (const auto& data : shard.listed_data)
            if (data.is_promise_resume) live_trees.resumed(data, at.height);
    for (const bool parent_is_here : {false, true})
        for (const auto& node : trees.executed())
            if (node.parent_is_here == parent_is_here) judge(node, at, live_trees);
    write_decided(batch, live_trees.end_of_block());
    batch.facts.given_up.trees += live_trees.bound();
    for (auto& tx_hash : live_trees.take_late()) batch.facts.late_trees.insert(std::move(tx_hash));
}

// Includes transactions that are not in scope, because they may be watched.
void see(Sightings& seen, const WholeBlock& whole, const BlockTrees& trees) {
    const auto& header = whole.block.header;
    const ExecutedAt at{header.height, header.timestamp_nanosec};
    for (const auto& node : trees.transactions())
        seen.transactions.push_back(seen_transaction(node.transaction->transaction, at, node.in_scope));
    IdSet touched;
    for (const auto& node : trees.executed())
        if (node.in_scope && node.tree.is_transaction && touched.insert(node.tree.tree_id).second)
            seen.trees.emplace_back(node.tree.tree_id);
}

}  // namespace

RowBatch whole_block_rows(const WholeBlock& block, std::optional<BlockHeight> prev_height, const Scope& scope,
                          Lineage& lineage, LiveTrees* live_trees, bool collect) {
    const auto& header = block.block.header;
    const RowPlace place{header.height, RowTime(header.timestamp_nanosec), std::nullopt, std::nullopt, {}};
    RowBatch batch;
    batch.facts.seen.collected = collect;
    begin_block(batch, block.block, prev_height);
    write_chunks(batch, place, block);
    if (scope.kind == ScopeKind::headers) return batch;

    BlockTrees trees(block, scope, lineage);
    batch.happened.interest = scope.interest;
    WholeBlockRows rows(batch, place, block, trees, live_trees);
    rows.reserve();
    rows.write();
    if (live_trees) judge(batch, block, trees, *live_trees);
    if (collect) see(batch.facts.seen, block, trees);
    trees.announce_children();
    batch.facts.given_up.in_flight += lineage.bound(scope.kind == ScopeKind::accounts);
    return batch;
}

}  // namespace receiptd::chain
