// The chain of the sandbox: blocks, chunks, shards, epochs, finality, mempool and everything that can
// be asked about them, on top of sim's execution model.
//
// Deterministic: the same options and the same calls in the same order give the same bytes. Time is
// the chain's own: genesis time plus block time for every height. Single-threaded.
//
// The life of a block at height H, child of the block P:
//   1. Heights may be skipped before it; each shard may withhold its chunk.
//   2. A new chunk of shard S lists the receipts that S produced when its previous chunk was applied,
//      and takes transactions from the mempool (chain-model.md §1.1). Its header tells the results of
//      that previous application.
//   3. Listed receipts reach their receivers' shards; the new chunks are applied, transactions first.
//   4. A block is doomslug-final once its child has the next height, and final once that child has too
//      (nearcore's Block::produce): last_ds_final_block = P if H is P's height + 1, else P's own;
//      last_final_block = P's parent if H is P's height + 1 and P's last_ds_final_block is P's parent,
//      else P's own. So normally H-2 is final when H is the newest, and after a skipped height finality
//      waits for two heights in a row.
//   5. At the edge of an epoch a shard may be split (LedgerOptions::splits). Its accounts, and the receipts
//   that
//      wait for one of them, go on with the child that each account belongs to. Both children begin with the
//      parent's last results; the first one lists the receipts that these made (proofs.md §7).
//   6. On request it is on a fork that loses (fork()): it is the head and is applied as any other, until the
//      block after the fork names P as its parent. Then all that it did is taken back.
#pragma once

#include "sandbox/gateway/live_chain.hpp"
#include "sandbox/ledger/chain_store.hpp"
#include "sandbox/ledger/forest.hpp"
#include "sandbox/ledger/mempool.hpp"
#include "sandbox/ledger/options.hpp"
#include "sandbox/ledger/shard.hpp"
#include "sandbox/ledger/shard_layout.hpp"
#include "sandbox/ledger/submissions.hpp"
#include "sandbox/ledger/validators.hpp"
#include "sandbox/sim/state_update.hpp"

#include <functional>
#include <map>

namespace receiptd::sandbox {

// Is the chain what it must be? See Ledger::check().
struct CheckReport {
    std::vector<std::string> problems;  // empty: all is well; at most kMostProblems are told
    std::size_t blocks = 0;
    std::size_t transactions = 0;  // included
    std::size_t receipts = 0;      // announced
    std::size_t executed = 0;
    std::size_t proofs = 0;  // verified, of transactions and receipts
    u128 genesis_tokens = 0;
    u128 balances = 0;
    u128 under_way = 0;
    u128 burnt = 0;
    static constexpr std::size_t kMostProblems = 20;
    bool ok() const { return problems.empty(); }
    Json to_json() const;
};

class Ledger final : public LiveChain {
public:
    // `contracts` must outlive it. Throws std::invalid_argument for options that make no chain.
    Ledger(LedgerOptions options, const sim::Contracts& contracts);

    const LedgerOptions& options() const { return options_; }
    // The layout of the newest block.
    const ShardLayout& layout() const { return *layout_; }

    // --- Time passes ---
    // One more block. `now`: when it is shown to clients (served_at); without it chain time.
    void produce_block(std::optional<base::WallTime> now = std::nullopt);
    // The producer of blocks tells when the next heights come (until()); without it none is expected.
    void expect_blocks(std::function<std::optional<base::Duration>(Height)> until) {
        until_ = std::move(until);
    }

    // --- Trouble on request ---
    enum class DropAnswer : std::uint8_t { noted, unknown_hash, already_included };
    // The transaction is lost, whether it is pending now or comes later (any number of times):
    //   expired     it stays in the mempool until its block_hash is too old.
    //   superseded  another transaction of that key with the same nonce is executed instead: one the
    //               ledger signs (a transfer of 0 to the signer itself) if it knows the key; else the
    //               transaction waits until a later nonce of the key was used.
    //   balance     the ledger moves the signer's tokens away by a real transfer, if it knows a
    //               full-access key of the signer that has an unused nonce below (or another key); they
    //               stay away. Else the transaction vanishes at its turn without a trace.
    //   forwarding  it never reaches the mempool, or vanishes from it.
    DropAnswer drop(std::string_view hash, DropHow how);
    // The transaction is not included in the `blocks` heights after it came.
    DropAnswer delay(std::string_view hash, std::uint64_t blocks);
    // The transaction is included at its turn even if it has become invalid: it then fails in the block,
    // without a receipt.
    DropAnswer include_anyway(std::string_view hash);
    // The next chunk of its shard lists the transaction once more. Its key gets the nonce that it had before
    // (on a real chain a key that is deleted and added again may get it), so the transaction is executed
    // under the same hash, with receipts of its own; unless `refused`: then its second outcome is an invalid
    // nonce. False: no block includes it.
    bool execute_again(std::string_view hash, bool refused);
    // The next `heights` heights get no block.
    void skip_heights(std::uint64_t heights = 1) { skips_ += heights; }
    // The next `blocks` blocks (at most kMostLostBlocks: more would be final) lose against the one that comes
    // after them: its parent is theirs, their heights have no block, and their transactions are pending
    // again. As nodes do, block() and chunks stay to be had by hash: lost_block().
    static constexpr std::uint64_t kMostLostBlocks = 2;
    // Throws std::logic_error if the chain forgets (LedgerOptions::history_blocks).
    void fork(std::uint64_t blocks = 1);
    // The shard's next chunks are missing. False: no such shard.
    bool withhold_chunk(std::uint64_t shard_id, std::uint64_t chunks = 1);
    // The shard's next chunks execute next to nothing, so that receipts are delayed. `level` > 0: the
    // shard tells that congestion level at least, and from 0.8 on transactions to it are refused.
    bool congest(std::uint64_t shard_id, std::uint64_t blocks, double level = 0);

    // --- Truth ---
    // An array, in the order they came, of the transactions that were included, or that ended
    // otherwise, or (while pending) came, at a height in the range (inclusive). truth.hpp tells the shape.
    Json truth(Height from, Height to) const;
    std::optional<Json> truth_of(std::string_view hash) const;
    // Every receipt was executed at most once and only if announced; balances, tokens under way and
    // burnt tokens are together what genesis had; headers agree with the applications; and (with
    // `proofs`) the light-client proof of every outcome that can have one verifies.
    CheckReport check(bool proofs = true) const;
    std::size_t pending_transactions() const { return mempool_.size(); }

    // --- Chain ---
    void note_request() override {}
    Height first() const override { return store_.genesis().height; }
    Height oldest() const override { return oldest_; }
    Height tip() const override { return store_.newest().height; }
    const sim::Protocol& protocol() const { return *store_.newest().protocol; }
    Height final_head(Height tip) const override;
    Height near_final_head(Height tip) const override;
    Height back(Height height, std::uint64_t blocks) const override;
    std::optional<base::WallTime> served_at(Height height) const override;
    std::optional<base::Duration> until(Height height) const override;
    bool has_block(Height height) const override { return store_.at_height(height) != nullptr; }
    std::optional<Height> height_of_block(std::string_view hash) const override;
    std::optional<std::string> block(Height height) const override;
    std::optional<Located> lost_block(std::string_view hash) const override;
    std::optional<Located> chunk(std::string_view hash) const override;
    std::optional<Located> receipt(std::string_view receipt_id) const override;
    std::optional<TransactionView> transaction(std::string_view hash, Height tip) const override;
    bool has_receipts_of_transactions() const override { return true; }
    std::optional<Height> whole_tip(Height tip) const override { return final_head(tip); }
    std::shared_ptr<const std::string> whole_block(Height height) const override;

    // --- LiveChain ---
    std::optional<Json> validate(const chain::wire::SignedTransaction& transaction, Height at) const override;
    void submit(const chain::wire::SignedTransaction& transaction) override;
    bool is_on_chain(std::string_view hash, Height at) const override;
    ExecutionLevel execution_level(std::string_view hash, Height tip) const override;
    std::optional<Json> view_account(std::string_view account_id, Height at) const override;
    std::optional<Json> view_access_key(std::string_view account_id, const chain::PublicKey& key,
                                        Height at) const override;
    std::optional<std::vector<std::uint64_t>> gas_key_nonces(std::string_view account_id,
                                                             const chain::PublicKey& key,
                                                             Height at) const override;
    Json view_access_key_list(std::string_view account_id, Height at) const override;
    std::optional<Json> view_code(std::string_view account_id, Height at) const override;
    std::optional<Json> view_global_code(const chain::wire::GlobalContractId& contract,
                                         Height at) const override;
    Json view_state(std::string_view account_id, std::string_view prefix, Height at) const override;
    ViewCallResult call_function(std::string_view account_id, std::string_view method_name,
                                 const chain::Bytes& args, Height at) const override;
    Json validators(Height at) const override;
    Json protocol_config(Height at) const override;
    Json genesis_config() const override;
    Json changes_in_block(Height height) const override;
    double congestion_level(std::string_view chunk_hash) const override;
    std::variant<Json, NoProof> light_client_proof(const LightClientRequest& request) const override;
    std::optional<Json> next_light_client_block(Height last, Height tip) const override;
    std::optional<TransactionOfReceipt> transaction_of_receipt(std::string_view receipt_id) const override;
    Height epoch_start(Height height) const override { return store_.at_or_below(height).epoch_start; }
    std::uint64_t shard_of_account(std::string_view account_id) const override {
        return layout_->shard_id(layout_->index_of(account_id));
    }
    ForgedBlock forge(const Forgery& forgery) const override;
    std::string forged_whole_block(const Forgery& forgery) const override;

private:
    // --- ledger.cpp ---
    void plan_layouts();
    const LayoutPtr& layout_in(std::uint64_t epoch_index) const;
    void make_genesis();
    const Shard& shard_of(std::string_view account_id) const {
        return shards_[layout_->index_of(account_id)];
    }
    u128 account_tokens() const;
    std::string whole_text(const BlockRecord& block) const;
    BlockRecord forged_record(const Forgery& forgery) const;
    // --- ledger_produce.cpp ---
    Height next_height();
    bool is_chunk_missing(Shard& shard, Height height);
    BlockRecord start_block(Height height) const;
    ChunkPtr make_chunk(Shard& shard, const BlockRecord& block);
    void finish_block(BlockRecord& block) const;
    void start_epoch(BlockRecord& block, const BlockRecord& parent) const;
    u128 next_gas_price(const BlockRecord& block) const;
    void deliver(const ChunkRecord& chunk);
    void apply(BlockRecord& block);
    sim::BlockContext context_of(const BlockRecord& block, u128 gas_price) const;
    // --- ledger_split.cpp ---
    std::optional<ShardSplit> told_split(const BlockRecord& block) const;
    void split_shard(const LayoutPtr& layout);
    void take_back_split(Shard parent);
    void live_by(const LayoutPtr& layout);
    // --- ledger_forget.cpp ---
    void forget();
    // --- ledger_fork.cpp ---
    void begin_fork();
    void lose_fork();
    void return_to_mempool(Submission& submission);
    // --- ledger_mempool.cpp ---
    bool is_too_old(const sim::wire::Transaction& transaction, Height at) const;
    std::optional<Json> check_congestion(std::string_view receiver_id) const;
    std::vector<TransactionPtr> take_transactions(Shard& shard, Height height);
    enum class Turn : std::uint8_t { take, wait, drop };
    Turn turn_of(const PendingTransaction& pending, Submission& submission, sim::StateUpdate& scratch,
                 Height height);
    Turn turn_of_unwanted(DropHow how, const PendingTransaction& pending, Submission& submission,
                          Height height);
    void end(Submission& submission, Fate fate, Height height, std::string reason, Json evidence);
    // --- ledger_drops.cpp ---
    DropAnswer wish_for(std::string_view hash, const std::function<void(const CryptoHash&)>& wish);
    void make_drop_real(const TransactionRecord& transaction, DropHow how);
    const sim::SecretKey* known_key(std::string_view account_id, const chain::PublicKey& key) const;
    std::optional<std::uint64_t> full_access_nonce(std::string_view account_id,
                                                   const chain::PublicKey& key) const;
    void submit_own(const TransactionRecord& victim, const sim::SecretKey& key, std::uint64_t nonce,
                    const std::string& receiver_id, u128 deposit);
    void drain(const TransactionRecord& transaction);
    // --- ledger_transactions.cpp ---
    const TransactionTree* find_tree(std::string_view hash) const;
    Json outcome_view(const ExecutedAt& executed) const;
    Json transaction_view(const TransactionTree& tree, Height tip, ExecutionLevel level) const;
    std::optional<ExecutedAt> find_outcome(const LightClientRequest& request) const;
    Json submission_truth(const Submission& submission) const;
    std::optional<Height> final_height(const TransactionTree& tree) const;
    // --- ledger_again.cpp ---
    void list_again(Shard& shard, ChunkRecord& chunk);
    // --- ledger_check.cpp ---
    void check_tokens(CheckReport& report) const;
    void check_blocks(CheckReport& report, bool proofs) const;
    void check_application(const BlockRecord& block, std::size_t shard, CheckReport& report,
                           bool proofs) const;
    void check_listed(const BlockRecord& block, const Application& application, CheckReport& report) const;
    void check_proofs(const BlockRecord& block, const Application& application,
                      const ChainStore::ChunkPlace& next, CheckReport& report) const;
    void check_trees(CheckReport& report) const;

    LedgerOptions options_;
    const sim::Contracts& contracts_;
    std::map<std::uint64_t, LayoutPtr> layouts_;  // by the index of the epoch that begins with it
    Validators validators_;
    ChainStore store_;
    LayoutPtr layout_;
    std::vector<Shard> shards_;  // by index in that layout
    Mempool mempool_;
    Submissions submissions_;
    Forest forest_;
    struct Again {
        TransactionPtr transaction;
        bool refused = false;
    };
    std::vector<Again> again_;                                                    // to be listed once more
    std::map<std::string, std::vector<sim::SecretKey>, std::less<>> known_keys_;  // by account
    u128 genesis_tokens_ = 0;
    u128 burnt_ = 0;
    std::uint64_t skips_ = 0;
    // The chain as it was before the blocks that will lose.
    struct Fork {
        std::size_t blocks_to_come = 0;
        std::size_t base = 0;  // the ordinal of their parent
        std::vector<Shard::Mark> shards;
        std::vector<Shard> parents;  // that were split since
        u128 burnt = 0;
    };
    std::optional<Fork> fork_;
    std::uint64_t blocks_to_lose_ = 0;  // of a fork that is asked for and not begun
    Height told_final_ = 0;             // by forks that lost
    // Blocks from here on are told whole; older ones may be kept, because of a tree that is under way.
    Height oldest_ = 0;
    std::map<Height, base::WallTime> served_;
    std::function<std::optional<base::Duration>(Height)> until_;
    // Whole blocks are asked for by several clients about the same time.
    static constexpr std::size_t kKeptWholeBlocks = 8;
    mutable std::map<Height, std::shared_ptr<const std::string>> whole_blocks_;
};

}  // namespace receiptd::sandbox
