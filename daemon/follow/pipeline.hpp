// One ordered run over heights: fetch ahead, prove continuity, make rows, hand batches to the
// writers. Head, gaps and backfills are all runs.
#pragma once

#include "chain/rows/rows.hpp"
#include "chain/tree/lineage.hpp"
#include "chain/tree/live_trees.hpp"
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

#include <memory>
#include <optional>
#include <string>

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
    std::optional<Seams> seams;  // where outcomes come with the block
    unsigned fetch_ahead = 8;
    unsigned batch_blocks = 16;
    std::uint64_t batch_bytes = 8ull << 20;
    base::Duration patience = std::chrono::seconds(60);
};

struct RunSettings {
    base::Height from = 0;
    std::optional<base::Height> to;  // nullopt: follow the head
    rpc::Priority priority = rpc::Priority::head;
    base::Duration patience = std::chrono::seconds(60);
};

struct RunEnd {
    base::Height next = 0;              // first height not handled
    std::optional<std::string> broken;  // the chain did not fit at `next`
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
    base::Task<void> leap();     // over heights that are stored already
    base::Task<void> hold_scope();
    base::Task<void> handle(rpc::FetchResult result);
    base::Task<void> store_block(std::unique_ptr<rpc::BlockContents> contents);
    chain::Scope scope_for(const rpc::BlockContents& contents) const;
    base::Task<void> give_up(base::Height height, std::string reason, std::string detail);
    base::Task<void> give_up(const base::HeightSet& holes, std::string detail);
    base::Task<void> finish();
    base::Task<void> look_above();
    base::Task<std::optional<chain::BlockRef>> fetch_above();
    base::Task<void> flush();
    base::Height longest_wait() const;
    base::Task<void> adopt_when_due();
    base::Task<void> adopt_around(base::Height seam);
    bool is_history() const;
    bool is_news(const chain::BlockRef& block) const;
    bool has_neighbour_in_flight() const;
    void claim(const base::HeightSet& heights);
    void fill_window();
    base::Height limit() const;
    bool mine(base::Height height) const;
    base::HeightSet still_missing(const base::HeightSet& heights) const;

    Engine& engine_;
    RunSettings settings_;
    base::Height next_;
    Continuity continuity_;
    FetchWindow window_;
    base::Wakeup wakeup_;
    chain::Lineage lineage_;
    chain::LiveTrees live_trees_;
    chain::RowBatch batch_;
    base::HeightSet claimed_;  // in flight because of this run
    std::optional<std::string> broken_;
    base::Height last_seam_;  // where it began, or went on above heights that are stored already
    base::Height adopt_at_;   // orphans of the run's first blocks are looked for again here
};

}  // namespace receiptd::follow
