// Follows watched transactions to their end: re-judges from the database what a commit has touched, asks the
// hosts for what the follower cannot see, and stores each stage that is reached. All state is in the
// database; a tracker that starts reads it once.
//
// Lives on the event loop; what the follower tells is only noted (committed(), progressed()) and worked
// off by run().
#pragma once

#include "base/event.hpp"
#include "base/height_set.hpp"
#include "base/task_group.hpp"
#include "chain/rows/rows.hpp"
#include "metrics/watch_series.hpp"
#include "storage/watch_store.hpp"
#include "watch/review.hpp"
#include "watch/rules.hpp"
#include "watch/watch_index.hpp"
#include "watch/watch_upstream.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace receiptd::watch {

// The tracker's view of the chain as it is stored here.
struct ChainView {
    // The final head that a host told: it says where to look, and nothing ends by it.
    std::function<std::optional<chain::BlockHeight>()> final_height;
    // The hosts agree on what is committed here up to this height, 0: on nothing. Ends by height are reckoned
    // from it alone.
    std::function<chain::BlockHeight()> agreed_height;
    // The height up to which all is committed from this one on; nullopt: this one is not, and none
    // shortly below it.
    std::function<std::optional<chain::BlockHeight>(chain::BlockHeight)> covered_up_to;
    // Heights of the range that are not stored.
    std::function<base::HeightSet(base::HeightRange)> missing_in;
    // The heights among these that the follower asks for until it has them; and those that it has not asked
    // for in vain.
    std::function<base::HeightSet(base::HeightRange)> gaps_in;
    std::function<base::HeightSet(base::HeightRange)> untried_in;
    // The stored block with that hash.
    std::function<base::Task<std::optional<chain::BlockRef>>(std::string)> stored_block;
    // Whether what is executed from this height on is stored, or will be: false above a hole that nobody
    // fills.
    std::function<bool(chain::BlockHeight)> follows_since;
    // Alerts about what happened before are stored, and not sent.
    std::function<base::WallTime()> alerts_sent_since;
    // Whether the newest final block is stored, or nearly.
    std::function<bool()> is_at_head;
    bool stores = true;  // watched transactions are stored when their block is
    // Stores the tree of one that no block will bring; empty: nobody does.
    std::function<base::Task<void>(storage::FoundTransaction)> keep;
};

struct TrackerSettings {
    std::vector<config::WatchRule> rules;
    chain::LifecycleRules lifecycle;
    chain::StuckRules stuck;
    std::chrono::milliseconds tick{1'000};  // between two looks at which watches are due
};

class Tracker {
public:
    // All of them outlive it, and the coroutines it has spawned.
    Tracker(base::asio::any_io_executor executor, base::asio::thread_pool& cpu, storage::WatchStore& store,
            WatchUpstream& upstream, metrics::WatchSeries& series, const base::Clock& clock, ChainView chain,
            TrackerSettings settings);

    // Runs until end(), until it is cancelled or storage stops. May be run again.
    base::Task<void> run();
    void end();
    bool running() const { return running_; }
    // The last time that each of its loops did something.
    base::SteadyTime progressed_at() const;

    // Nothing has happened that is not stored.
    bool idle() const { return filled_ && made_ == wanted_ && !index_.has_touched() && reviewing_ == 0; }

    // --- Told by the follower ---
    bool listening() const { return !index_.empty() || !rules_.empty(); }
    bool watches(const chain::SignedTransaction& transaction) const;
    // Watches of what rules name. They are stored with the block, and made beside it by run().
    std::vector<chain::WantedWatch> wanted(const chain::Sightings& seen) const;
    // Whether blocks are worth a look before they are final.
    bool awaits_inclusion() const { return index_.waits_above(chain_.agreed_height()); }
    void seen_early(const std::string& tx_hash, const chain::SeenEarly& seen);
    void committed(const chain::CommitFacts& facts);
    void lost(const base::HeightSet& heights);
    bool wants(const std::string& tx_hash) const { return index_.contains(tx_hash); }
    void progressed(const std::string& tx_hash, const chain::TreeSeen& seen);
    void settled(const chain::DecidedCounts& decided);  // counts them, as committed() does
    void tree_committed(const std::string& tx_hash, const chain::DecidedCounts& decided);

private:
    struct Page {  // of watches that are looked at together
        std::vector<storage::Watch> watches;
        std::vector<Sight> sights;  // of each, as it was before the trees were read
        std::map<std::string, storage::StoredTree> trees;
        bool is_unreadable(const std::string& tx_hash) const {
            const auto tree = trees.find(tx_hash);
            return tree != trees.end() && tree->second.unreadable;
        }
        std::map<std::string, chain::TreeSeen> told;
        std::map<std::string, chain::SeenEarly> seen_early;
        std::map<std::string, bool> of_the_chain;   // blocks of WatchState::early whose heights are covered
        std::vector<storage::WatchUpdate> updates;  // at most one of each
        std::uint64_t losses = 0;                   // of blocks, when it was read
    };
    struct Asked {
        std::vector<chain::Observation> observations;
        std::optional<Witness> witness;
        std::optional<storage::WatchUpdate::Validity> validity;
        bool conclusive = true;
    };

    void forget();
    base::Task<void> fill();
    // Reads a page: what follows a hash, up to so many.
    using WatchPages = std::function<base::Task<std::vector<storage::Watch>>(std::string, unsigned)>;
    base::Task<void> fill_from(WatchPages pages);
    void note_head();
    base::Task<void> take_in_new();
    base::Task<void> take_in_others();
    base::Task<void> take_in(std::vector<storage::Watch> fresh, chain::BlockHeight final_height);
    base::Task<void> review_touched();
    base::Task<Page> load(std::vector<std::string> tx_hashes);
    base::Task<void> look_for_early_block(const chain::WatchState& state, Page& page);
    bool is_decided_since(const chain::WatchState& state, const Page& page) const;
    void ask_for_unlisted(Page& page) const;
    static std::vector<chain::Observation> observations_of(const storage::Watch& watch, const Page& page);
    bool is_covered(chain::BlockHeight height) const { return chain_.missing_in({height, height}).empty(); }
    static base::Task<Page> judge(base::asio::thread_pool& cpu, Page page, ReviewRules rules);
    // Writes the updates; what somebody else has moved meanwhile is looked at again.
    base::Task<void> write(Page page);
    // `listed_at`: where its tree is known to begin.
    Sight sight_of(const storage::Watch& watch, std::optional<chain::ExecutedAt> listed_at = {}) const;
    ReviewRules rules_now() const;
    // Every host knows the blocks up to there.
    chain::BlockHeight known_to_all_hosts() const;
    void count(const storage::WatchUpdate& update, const Page& page);
    void publish();

    // tracker_checks.cpp
    base::Task<void> check_due();
    void plan(Page& page);
    base::Task<void> ask_queued();
    base::Task<void> ask(std::string tx_hash);
    base::Task<Asked> ask(const storage::Watch& watch, Sight sight, Check check);
    // Whether the chain has its block hash where the hosts said. False: there is nothing to ask them.
    base::Task<bool> has_its_block(const storage::Watch& watch, Asked& asked);
    // Or take its inclusion back.
    bool would_end(const storage::Watch& watch, const chain::NotIncludedUpTo& seen) const;
    // The heights up to this one that may include it and are not stored.
    base::HeightSet heights_not_stored(const storage::Watch& watch, WatchUpstream::Word word,
                                       chain::BlockHeight up_to) const;
    // Adds what nobody can show. False: it cannot be told yet.
    base::Task<bool> weigh(const storage::Watch& watch, WatchUpstream::Word word,
                           chain::NotIncludedUpTo& seen);
    // Whether hosts hold the blocks of all of them; nullopt: that cannot be told now.
    base::Task<std::optional<bool>> hosts_hold(base::HeightSet heights);
    // False: it cannot be told yet.
    base::Task<bool> ask_sender(const storage::Watch& watch, chain::NotIncludedUpTo& seen);
    base::Task<bool> wait_for_height(const storage::Watch& watch, chain::BlockHeight height);
    base::Task<void> conclude(std::string tx_hash, Asked asked);

    base::asio::any_io_executor executor_;
    base::asio::thread_pool& cpu_;
    storage::WatchStore& store_;
    WatchUpstream& upstream_;
    metrics::WatchSeries& series_;
    const base::Clock& clock_;
    ChainView chain_;
    TrackerSettings settings_;
    Rules rules_;
    WatchIndex index_;
    base::Event moved_;
    std::map<std::string, chain::TreeSeen> told_;  // of open watches: not in the database yet
    std::map<std::string, chain::SeenEarly>
        early_;  // of open watches: the first one that no final block decides
    base::SteadyTime taken_in_at_{};
    base::SteadyTime reviewed_at_{};
    base::SteadyTime checked_at_{};
    bool running_ = false;
    bool ending_ = false;
    bool filled_ = false;
    // Commits that held watches which rules ask for; and how many of them had been made when run() looked.
    std::uint64_t wanted_ = 0;
    std::uint64_t made_ = 0;
    base::WallTime others_seen_until_{};
    base::SteadyTime looked_far_back_at_{};
    std::optional<base::SteadyTime> at_head_since_;
    unsigned reviewing_ = 0;
    std::uint64_t losses_ = 0;
    std::deque<std::string> to_ask_;
    std::unordered_set<std::string> asking_;  // queued or under way
};

}  // namespace receiptd::watch
