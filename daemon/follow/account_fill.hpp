// Fetches stored heights again for the rows of accounts that they were stored without (docs/decisions/0061).
//
// Whole blocks: the fill begins below, as trees run at its first height, and goes on above heights that were
// stored without the accounts until no tree goes on there. Source rpc: blocks name the transactions, and
// whole trees are fetched as after any block.
#pragma once

#include "base/event.hpp"
#include "base/height_set.hpp"
#include "chain/tree/lineage.hpp"
#include "chain/tree/live_trees.hpp"
#include "follow/fetch_window.hpp"
#include "follow/pipeline.hpp"
#include "storage/account_store.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::follow {

class AccountFill {
public:
    struct Order {
        std::vector<std::string> accounts;
        base::HeightRange range;
    };
    AccountFill(Engine& engine, storage::AccountStore& store, Order order);

    // Until all stored heights of the order are filled or could not be had, or the state is stopping.
    base::Task<void> run();

    // Stored heights that are still to be filled.
    std::uint64_t left() const { return left_.size(); }
    // That no host gives as they are stored.
    const base::HeightSet& not_had() const { return not_had_; }
    // Heights that are not stored yet may lack rows, too: trees go on there.
    bool goes_on_above() const { return goes_on_above_; }

private:
    base::Task<bool> look();  // false: nothing is left to be filled now
    base::Task<void> fill(base::HeightRange stretch, const base::HeightSet& covered);
    base::Task<void> fill_page(const std::vector<chain::BlockRef>& blocks,
                               const std::vector<chain::BlockRef>& next);
    base::Task<void> take(const chain::BlockRef& block);
    base::Task<void> keep(const chain::BlockRef& block, std::unique_ptr<rpc::BlockContents> contents);
    base::Task<void> give_up(base::Height height, std::string why);
    base::Task<void> commit();
    base::Task<bool> settle(base::Height last);
    base::Task<void> finish();
    bool whole_blocks() const { return engine_.source.tells_outcomes(); }
    FetchSettings fetch_settings() const;

    Engine& engine_;
    storage::AccountStore& store_;
    Order order_;
    chain::Scope scope_;
    base::HeightSet left_;
    base::HeightSet tried_;
    base::HeightSet not_had_;
    base::Height last_ = 0;   // that was filled
    base::Height since_ = 0;  // everything from here on was stored with the accounts
    bool goes_on_above_ = false;
    // The stretch under way:
    base::HeightRange stretch_;
    bool whole_below_ = false;
    base::Height whole_from_ = 0;  // lower heights were read for the trees that run
    base::Height done_below_ = 0;
    std::optional<FetchWindow> window_;
    chain::Lineage lineage_;
    chain::LiveTrees live_trees_;
    chain::RowBatch batch_;
};

}  // namespace receiptd::follow
