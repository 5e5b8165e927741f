// The whole of following: learn the head, run along it, repair gaps, work off backfills and trees.
#pragma once

#include "base/task_group.hpp"
#include "config/settings.hpp"
#include "follow/commit_listener.hpp"
#include "follow/confirmation.hpp"
#include "follow/early_look.hpp"
#include "follow/leadership.hpp"
#include "follow/outcome_check.hpp"
#include "follow/pipeline.hpp"
#include "follow/refetch.hpp"
#include "follow/rhythm.hpp"
#include "follow/silent_trees.hpp"
#include "follow/trees.hpp"
#include "follow/unplaced_receipts.hpp"
#include "storage/reindex_store.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace receiptd::follow {

class Follower {
public:
    Follower(base::asio::any_io_executor executor, base::asio::thread_pool& cpu, rpc::BlockSource& source,
             rpc::Witnesses& witnesses, rpc::TreeSource* trees, Stores stores, State& state,
             const config::Follow& settings);

    // Follows the head from follow.start on, beside gaps and backfills, until stop() or, with
    // `until`, until everything up to that height is dealt with. Rethrows what broke it, when nothing of it
    // runs any more.
    struct End {
        base::HeightSet missing;  // wanted up to `until`, and not to be had now
        std::uint64_t unfinished_trees = 0;
        bool fill_goes_on = false;  // trees of accounts go on in blocks to come: a daemon fills the rest
    };
    base::Task<End> follow(std::optional<base::Height> until);
    // The same without an end while this daemon leads, and meanwhile only backfills: of the daemons on one
    // database one follows the head.
    base::Task<End> follow_in_turns(Leadership& leadership);

    // One range only, then ends.
    base::Task<End> backfill(base::HeightRange range);

    // Fills the stored heights of the range (nullopt: all) that the accounts lack, then ends. Needs
    // fetch_again().
    base::Task<End> fill(std::vector<std::string> accounts, std::optional<base::HeightRange> range);
    // Fetches the stored heights of the range again and replaces their rows, then ends. Needs
    // fetch_again().
    base::Task<End> reindex(base::HeightRange range);
    // Call before follow(), too: it goes on with what others began.
    void fetch_again(storage::AccountStore& accounts, storage::ReindexStore& reindex) {
        accounts_ = &accounts;
        reindex_ = &reindex;
    }
    // Stored heights that have still to be read again.
    std::uint64_t left_to_refetch() const;

    // For keep(); source rpc, scope accounts: also the trees of other transactions that touch the accounts.
    // Call before follow() and backfill().
    void place_receipts(rpc::ReceiptSource& receipts, rpc::TreeSource& trees,
                        storage::UnplacedStore& waiting);

    // Compares outcomes with the roots that the chain has of them. Call before follow() and backfill().
    void check_outcomes(storage::OutcomeStore& outcomes, OutcomeCheck::Others others);

    // A watched transaction that a host knows to be in a final block: where no followed block brings it (it
    // was included before it was watched and out of scope, or before the first block), its tree is fetched
    // and stored whatever the scope.
    base::Task<void> keep(storage::FoundTransaction found);

    // With scope accounts, from the next block on. `serial`: storage::FollowedAccounts.
    void follow_accounts(std::set<std::string, std::less<>> accounts, std::int64_t serial);

    // While a watched transaction waits for a block, blocks are looked through before they are final. Call
    // before follow().
    void look_early(rpc::EarlyBlocks& blocks) { early_look_.emplace(blocks, state_); }

    // Call before follow() and backfill().
    void tell(CommitListener& listener) { state_.listener = &listener; }

    // Finishes the writes under way, then the running call returns.
    void stop();

private:
    struct First {
        base::Height height = 0;
        std::string agreed_hash;  // see RunSettings
    };

    bool stores_transactions() const;
    Trees::OfBlocks trees_of_blocks() const;
    bool block_brings(base::Height height) const;
    base::Task<void> follow_up_to(std::optional<base::Height> until);
    base::Task<void> take_turns(Leadership& leadership);
    base::Task<void> turn(Leadership& leadership);
    base::Task<bool> start_following(std::optional<base::Height> until);
    void stand_by();
    base::Task<void> end_loops();
    base::Task<void> read_coverage_anew();
    base::Task<void> find_lost_heights();
    base::Task<void> judge_late_trees();
    static std::optional<chain::BlockRef> tip_of(const std::vector<chain::BlockRef>& newest);
    void make_trees();
    base::Task<void> fill(base::HeightRange range);
    base::Task<End> to_its_end(base::Task<void> work, base::HeightRange range);
    base::Task<void> prepare();
    void committed(const chain::CommitFacts& facts);
    void forget(const base::HeightSet& lost);
    void start_loops(bool follow_closely);
    base::Task<void> poll_head(bool closely);
    base::Task<void> run_along_head(First first, std::optional<base::Height> until);
    base::Task<void> repair_gaps();
    std::optional<base::HeightRange> due_gap() const;
    base::Task<void> repair(base::HeightRange range);
    base::Task<void> resume_backfills();
    base::Task<void> run_backfill(storage::BackfillProgress backfill);
    std::unique_ptr<Refetch> refetch_for(const storage::BackfillProgress& order);
    base::Task<void> run_refetch(storage::BackfillProgress order);
    base::Task<void> judge_refetched(const storage::BackfillProgress& order);
    base::Task<void> report_order(std::int64_t id, std::uint64_t total,
                                  std::function<std::uint64_t()> left_now);
    base::Task<void> fill_in(std::vector<std::string> accounts, std::optional<base::HeightRange> range);
    base::Task<void> replace_in(base::HeightRange range);
    base::Task<void> start_refetching();
    base::Task<bool> remove_refuted(base::HeightRange range);
    base::Task<void> wait_for_agreement(base::HeightRange range);
    base::Task<void> report_backfill(std::int64_t id, base::HeightSet missing);
    static std::optional<First> first_of(const std::optional<chain::BlockRef>& head);
    // nullopt: stopped before it was known
    base::Task<std::optional<First>> first_height(std::optional<base::Height> until);
    base::Task<std::optional<First>> where_to_go_on(base::Height last, std::optional<base::Height> until);
    void warn_of_start(base::Height start, base::Height last) const;
    base::Task<void> want_what_lies_below(base::Height from);
    base::Task<void> know_head();                                // or be stopped
    base::Task<std::optional<chain::BlockRef>> agree_on_head();  // the same
    base::Task<void> confirm_head();
    base::Task<void> know_time();
    base::Task<void> read_coverage_again();
    base::Task<void> wait_until_dealt_with(base::HeightRange range);
    base::Task<void> wait_until_trees_are_placed(base::HeightRange range);
    base::Task<End> wind_up(base::HeightRange range);
    base::Task<void> guard(base::Task<void> task);

    base::asio::any_io_executor executor_;
    rpc::BlockSource& source_;
    Stores stores_;
    State& state_;
    config::Follow settings_;
    Writers writers_;
    Agreement agreement_;
    Confirmation confirmation_;
    Seams seams_;
    Engine engine_;
    storage::AccountStore* accounts_ = nullptr;
    storage::ReindexStore* reindex_ = nullptr;
    std::vector<Refetch*> refetches_;         // under way
    bool follows_ = false;                    // blocks come
    std::optional<base::HeightSet> not_had_;  // of a command that fetches again
    bool fill_goes_on_ = false;               // see End
    storage::OutcomeStore* outcomes_ = nullptr;
    std::optional<OutcomeCheck> outcome_check_;
    std::optional<EarlyLook> early_look_;
    rpc::TreeSource* tree_source_;
    std::optional<UnplacedSources> unplaced_sources_;  // its store is also for keep()
    std::optional<Trees> trees_;
    std::optional<SilentTrees> silent_trees_;  // where blocks bring trees
    std::optional<UnplacedReceipts> unplaced_receipts_;
    std::uint64_t pending_trees_ = 0;  // of the range
    std::uint64_t unplaced_ = 0;       // receipts of the range that wait for their tree
    base::TaskGroup writing_;          // the writers: cancelled when the runs have ended
    base::TaskGroup loops_;            // cancelled on stop
    base::TaskGroup tree_loops_;       // end by themselves when a turn is over; cancelled on stop
    base::TaskGroup runs_;             // end by themselves on stop, with everything committed
    std::map<base::Height, base::SteadyTime> retry_at_;  // of unavailable heights
    base::Height final_height_ = 0;                      // when it was last looked at
    base::SteadyTime confirm_at_{};
    std::exception_ptr failure_;
};

}  // namespace receiptd::follow
