// Refetch fetches stored heights again, from hosts that give the same blocks. The derived class knows why,
// and what becomes of the rows.
#pragma once

#include "base/event.hpp"
#include "base/height_set.hpp"
#include "chain/tree/lineage.hpp"
#include "chain/tree/live_trees.hpp"
#include "follow/fetch_window.hpp"
#include "follow/pipeline.hpp"
#include "storage/account_store.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::follow {

class Refetch {
public:
    virtual ~Refetch() = default;
    Refetch(const Refetch&) = delete;
    Refetch& operator=(const Refetch&) = delete;

    // Until all stored heights of the order are read or could not be had, or the state is stopping.
    base::Task<void> run();

    // Stored heights that are still to be read.
    std::uint64_t left() const { return left_.size(); }
    // That no host gives as they are stored.
    const base::HeightSet& not_had() const { return not_had_; }
    // Heights that are not stored yet may be to be read, too: trees go on there.
    virtual bool goes_on_above() const { return false; }

protected:
    Refetch(Engine& engine, storage::AccountStore& store, chain::Scope scope)
        : engine_(engine), store_(store), scope_(std::move(scope)) {}

    static constexpr unsigned kPage = 256;  // blocks

    // Stored heights that are to be read, whether tried before or not.
    virtual base::Task<base::HeightSet> look() = 0;
    // Prepares for a stretch of these; gives the first height to read, which may lie below. `stored_from`: so
    // far down all heights are stored.
    virtual base::Task<base::Height> begin(base::HeightRange stretch, base::Height stored_from) = 0;
    // The next blocks that are to be read, at most kPage.
    virtual base::Task<std::vector<chain::BlockRef>> blocks_of(base::HeightRange heights);
    // Rows of heights that were read, and of none where no block is. False: they are not stored any more.
    virtual base::Task<bool> write(chain::RowBatch batch) = 0;
    // A height was not had; those below are written.
    virtual void lost(base::Height) {}
    // Up to `last` everything was read. Returns whether nothing is to be read above.
    virtual base::Task<bool> is_over(base::Height last);
    virtual base::Task<void> finish() = 0;

    base::Task<void> commit();
    bool whole_blocks() const { return engine_.source.tells_outcomes(); }
    const base::HeightRange& stretch() const { return stretch_; }

    Engine& engine_;
    storage::AccountStore& store_;
    chain::Lineage lineage_;
    base::HeightSet not_had_;
    base::Height last_ = 0;  // that was written

private:
    base::Task<void> read(base::HeightRange heights);
    base::Task<void> read_page(const std::vector<chain::BlockRef>& blocks,
                               const std::vector<chain::BlockRef>& next);
    base::Task<void> take(const chain::BlockRef& block);
    base::Task<void> keep(const chain::BlockRef& block, std::unique_ptr<rpc::BlockContents> contents);
    base::Task<void> give_up(base::Height height, std::string why);
    void lack_stored(base::Height parent);
    FetchSettings fetch_settings() const;

    chain::Scope scope_;
    base::HeightSet left_;
    base::HeightSet tried_;
    // The stretch under way:
    base::HeightRange stretch_;
    base::Height done_below_ = 0;
    std::optional<FetchWindow> window_;
    chain::LiveTrees live_trees_;
    chain::RowBatch batch_;
};

}  // namespace receiptd::follow
