// Trees that blocks do not bring: each is fetched until it is complete and final, then stored in one
// transaction. By rpc a block does not say what became of its transactions, and these are the trees of all
// in scope; otherwise those of watched transactions that no followed block has (keep() of the follower).
//
// Trees on their way are kept here, so that a request is made only when a final block may have changed
// something (tree_progress.hpp); what is not kept is asked for again by time, from pending_trees.
#pragma once

#include "base/task_group.hpp"
#include "chain/tree/lifecycle.hpp"
#include "follow/agreement.hpp"
#include "follow/pending_tree_count.hpp"
#include "follow/state.hpp"
#include "follow/tree_answer.hpp"
#include "rpc/block_cache.hpp"
#include "rpc/final_tree.hpp"
#include "rpc/shard_layouts.hpp"
#include "rpc/source.hpp"
#include "storage/block_store.hpp"
#include "storage/outcome_store.hpp"
#include "storage/tree_store.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace receiptd::follow {

class Trees {
public:
    // How the trees of a block's transactions come.
    enum class OfBlocks { none, stored_with_block, fetched };

    Trees(base::asio::any_io_executor executor, base::asio::thread_pool& cpu, rpc::TreeSource& source,
          storage::TreeStore& store, storage::BlockStore& blocks, State& state, base::Duration patience,
          OfBlocks of_blocks);

    // Trees are stored once their outcomes are known to be those of the chain, or after some time.
    void compare_outcomes(storage::OutcomeStore& outcomes, Agreement& agreement) {
        outcomes_ = &outcomes;
        agreement_ = &agreement;
    }

    // Works off pending_trees until the state is stopping.
    base::Task<void> run();

    // There is one to be fetched.
    void wake();

    // Trees that these heights include come before all others.
    void prefer(base::HeightRange included_in) { preferred_ = included_in; }

    // These blocks are final, this data was listed.
    void committed(const chain::CommitFacts& facts);
    // The rows of these heights are gone: trees that they include are pending no more, or again, and what
    // hosts told of others may rest on them.
    void forget(const base::HeightSet& lost);

    // One is being written: the database may count it as done before the listener knows.
    bool writing() const;
    // One is whole, and waits until its outcomes are compared with the chain's: it does not wait for long.
    bool comparing() const;

private:
    struct Open {
        storage::PendingTree pending;
        std::uint64_t turn = 0;  // lower ones first, among those that are preferred and the others
        NextAsk next;
        base::SteadyTime ask_by{};  // whether the chain goes on or not
        base::SteadyTime look_by{};
        unsigned asks = 0;
        std::size_t most_outcomes = 0;     // of all answers: hosts may differ
        unsigned answers_alike = 0;        // the last ones told nothing new
        std::optional<TreeAnswer> answer;  // the last one
        base::Height looked_at = 0;        // its final part is known up to this height
        bool told_all = false;             // all of the last answer is final, and the listener knows
        std::optional<base::SteadyTime> wanting_since;  // a block that a complete tree executed in
        std::string awaited_block;  // why one may still come; empty: hosts deny those that are wanted
        bool in_a_fork = false;     // part of the last answer
        bool busy = false;
        bool asking = false;  // while busy
        bool writing = false;
        bool outdated = false;                        // heights were lost while it was busy
        std::optional<base::SteadyTime> whole_since;  // all of it is final
        std::string refuted;                          // the host that told outcomes that are not the chain's
        bool asked_another = false;                   // and it has told, or is asked no more
        base::SteadyTime ask_another_at{};
    };
    using OpenTree = std::shared_ptr<Open>;
    // Shard layouts by the hash of a block, as far as they can be had.
    using BlockLayouts = std::map<std::string, std::shared_ptr<const chain::ShardLayout>, std::less<>>;

    void ask_anew(Open& open);
    void unpark(const Open& open);
    void close(const Open& open);
    bool may_be_pending() const;
    base::Task<void> claim();
    base::Task<void> claim(base::HeightRange included_in);
    base::Task<void> count();
    base::Task<void> look_for_blocks_of_others();
    bool has_room_for(base::HeightRange included_in) const;
    void start_ready(base::TaskGroup& workers);
    void start(base::TaskGroup& workers, std::vector<OpenTree> waiting, std::size_t most);
    bool ready(const Open& open) const;
    bool may_ask(const Open& open) const;
    bool is_wanted(const Open& open) const;
    rpc::Priority priority_of(const Open& open) const;
    base::Height final_height() const;
    bool is_history(const Open& open) const;
    base::Height stored_up_to() const;
    base::Task<void> work(OpenTree open);
    base::Task<bool> ask(OpenTree open);  // false: postponed
    void take(Open& open, TreeAnswer answer);
    void plan_next(Open& open);
    base::Task<void> look(OpenTree open);
    // Its stages, as far as it proves them, to who wants them.
    base::Task<void> tell_progress(OpenTree open, SharedTree tree, rpc::FinalBlocks blocks);
    static base::Task<chain::TreeSeen> see_on(base::asio::thread_pool& cpu, SharedTree tree,
                                              rpc::FinalBlocks blocks, chain::ExecutedAt included_at);
    base::Task<void> store(OpenTree open, rpc::FinalBlocks blocks, bool confirmed);
    struct Whole;
    static base::Task<chain::TreeRows> rows_on(base::asio::thread_pool& cpu, Whole whole);
    // trees_outcomes.cpp. Whether they are confirmed; nullopt: that is not known yet, or it is asked for
    // anew.
    base::Task<std::optional<bool>> look_at_outcomes(OpenTree open, const rpc::FinalBlocks& blocks);
    enum class Outcomes { confirmed, refuted, unproven, awaited };
    base::Task<Outcomes> compare(const Open& open, const rpc::FinalBlocks& blocks);
    // nullopt: no other host has a word. Near the head it is asked again (it may be down for a moment); of
    // history it is not (it has forgotten, as most do).
    base::Task<std::optional<bool>> another_host_tells_it(OpenTree open);
    // The final ones of the blocks that the tree was executed in.
    base::Task<rpc::FinalBlocks> final_blocks(Open& open);
    base::Task<BlockLayouts> layouts_of(const Open& open, const rpc::FinalBlocks& blocks);
    base::Task<std::optional<chain::BlockRef>> find_block(Open& open, std::string hash);
    base::Task<void> postpone(OpenTree open, std::string reason);
    bool is_discarded(const Open& open, const rpc::TreeSource::Unknown& unknown) const;
    base::Task<void> discard(OpenTree open);
    void completed(const Open& open, const chain::DecidedCounts& decided);
    void tell_left_out(const std::string& tx_hash, const storage::LeftOutOutcomes& left_out);
    static chain::ExecutedAt included_at(const Open& open);
    bool is_passed(const rpc::FinalBlocks& blocks) const;
    bool out_of_patience(const Open& open) const;

    base::asio::any_io_executor executor_;
    base::asio::thread_pool& cpu_;
    rpc::TreeSource& source_;
    storage::TreeStore& store_;
    storage::BlockStore& blocks_;
    State& state_;
    base::Duration patience_;
    OfBlocks of_blocks_;
    base::Wakeup wakeup_;
    bool woken_ = true;
    base::SteadyTime claimed_at_{};
    std::optional<base::HeightRange> preferred_;
    std::uint64_t next_turn_ = 0;
    PendingTreeCount pending_;
    std::map<std::string, OpenTree> open_;                 // by transaction hash
    std::unordered_map<std::string, std::string> parked_;  // data id -> transaction hash
    // The latest final blocks: more than a yield waits. Older ones are read from the database.
    rpc::BlockCache known_{512};
    rpc::ShardLayouts layouts_;
    storage::OutcomeStore* outcomes_ = nullptr;  // null: outcomes are stored as they are told
    Agreement* agreement_ = nullptr;
    base::SteadyTime counted_overdue_at_{};
    base::Height stored_by_others_ = 0;  // the highest height, when it was last looked for
};

}  // namespace receiptd::follow
