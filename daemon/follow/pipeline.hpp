// One ordered run over heights: fetch ahead, prove continuity, make rows, hand batches to the
// writers. Head, gaps and backfills are all runs.
#pragma once

#include "chain/rows/rows.hpp"
#include "chain/tree/lineage.hpp"
#include "chain/tree/live_trees.hpp"
#include "follow/agreement.hpp"
#include "follow/claims.hpp"
#include "follow/continuity.hpp"
#include "follow/fetch_window.hpp"
#include "follow/seams.hpp"
#include "follow/state.hpp"
#include "follow/writers.hpp"
#include "rpc/source.hpp"
#include "storage/backfill_store.hpp"
#include "storage/block_store.hpp"
#include "storage/orphan_store.hpp"
#include "storage/tree_store.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::follow {

// Stores for the data and the progress of the follower.
struct Stores {
    storage::BlockStore& blocks;
    storage::TreeStore& trees;
    storage::OrphanStore& orphans;
    storage::BackfillStore& backfills;
};

// Everything a run needs; lives as long as the follower.
struct Engine {
    base::asio::any_io_executor executor;
    base::asio::thread_pool& cpu;
    rpc::BlockSource& source;
    Stores stores;
    Writers& writers;
    State& state;
    chain::Scope scope;
    Agreement& agreement;
    Seams& seams;
    unsigned fetch_ahead;
    unsigned batch_blocks;
    std::uint64_t batch_bytes;
    base::Duration patience;
    std::int64_t scope_serial = 0;  // of the accounts in scope (storage/account_coverage.hpp)
    std::optional<std::int64_t> epoch =
        {};  // of this leader, for commits of the head; nullopt: without a lease
};

struct RunSettings {
    base::Height from = 0;
    std::optional<base::Height> to;  // nullopt: follow the head
    rpc::Priority priority = rpc::Priority::head;
    base::Duration patience = std::chrono::seconds(60);
    std::string
        agreed_hash{};  // of the block at which the head is followed, where nothing stored is below it
    bool removes_refuted = false;  // that are stored, wherever they are; one run at a time does
};

struct RunEnd {
    base::Height next = 0;              // first height not handled
    std::optional<std::string> broken;  // the chain did not fit at `next`
    bool removed = false;               // a stored block at `next` was not of this chain
};

class Run {
public:
    Run(Engine& engine, RunSettings settings);

    // Ends at `to`, at a broken chain, or when the state is stopping; everything handled has been
    // committed then, and orphans at the seams have been adopted.
    base::Task<RunEnd> run();

private:
    base::Task<void> follow_through();
    base::Task<bool> advance();  // false: the run is over
    bool stands_alone() const;
    base::Task<void> leap();  // over heights that are stored already
    void begin_between(std::optional<chain::BlockRef> below, std::optional<chain::BlockRef> above);
    // Each says where the run goes on.
    base::Task<base::Height> handle(rpc::FetchResult result);
    base::Task<base::Height> deny();
    base::Task<base::Height> go_without(rpc::Unavailable fault);
    base::Task<base::Height> go_back();
    base::Task<base::Height> resolve(Continuity::Misfit misfit, std::string host);
    base::Task<base::Height> remove_stored(Refuted refuted);
    base::Task<void> remove_refuted();
    base::Task<void> remove_false_outcomes();
    base::Task<std::optional<base::Height>> turned_away(const chain::BlockRef& block,
                                                        const std::string& host);
    base::Task<base::Height> store_block(std::unique_ptr<rpc::BlockContents> contents);
    base::Task<std::optional<base::Height>> wrong_time(rpc::BlockContents& contents);
    base::Task<std::optional<base::Height>> no_day(const rpc::BlockContents& contents);
    base::Task<std::optional<base::Height>> untold(const chain::BlockRef& block, const std::string& host,
                                                   const std::string& why);
    void judge_clock(base::WallTime time);
    base::Task<bool> is_of_this_chain(const chain::BlockRef& block, const std::string& host);
    chain::Scope scope_for(const rpc::BlockContents& contents) const;
    base::Task<void> give_up(base::Height height, std::string reason, std::string detail);
    base::Task<void> give_up(const base::HeightSet& holes, std::string detail);
    base::Task<void> fill(base::HeightSet holes, const std::optional<chain::BlockRef>& child,
                          std::string detail);
    using Blocks = std::vector<std::unique_ptr<rpc::BlockContents>>;
    base::Task<Blocks> parents_elsewhere(const base::HeightSet& holes, const chain::BlockRef& child);
    base::Task<void> store_filled(std::unique_ptr<rpc::BlockContents> contents);
    void outcomes_left_out(const chain::RowBatch& rows, const std::string& host);
    bool with_chunks() const { return engine_.scope.kind != chain::ScopeKind::headers; }
    static std::string no_host_has(const chain::BlockRef& child);
    base::Task<void> finish();
    base::Task<void> look_above();
    base::Task<std::optional<chain::BlockRef>> fetch_above();
    base::Task<void> flush();
    base::Task<void> close_seams();
    bool follows_head() const;
    bool is_history() const;
    void fill_window();
    base::Height limit() const;

    Engine& engine_;
    RunSettings settings_;
    base::Height next_;
    Claims claims_;
    Continuity continuity_;
    FetchWindow window_;
    base::Wakeup wakeup_;
    chain::Lineage lineage_;
    chain::LiveTrees live_trees_;
    chain::RowBatch batch_;
    RunSeams seams_;
    std::optional<std::string> broken_;
    bool removed_ = false;
    bool is_rooted_ = false;                           // linked to a stored or agreed block below
    std::optional<std::int64_t> open_day_;             // of the last block
    base::Height reach_;                               // heights in a row that may be denied along the head
    unsigned setbacks_ = 0;                            // since the last block that fits
    std::map<base::Height, rpc::Unavailable> faults_;  // of undecided heights
};

}  // namespace receiptd::follow
