// Where a run of whole blocks begins or ends, a receipt and its parent may be stored by different runs: the
// orphans at such a seam are given their parents, and the trees that cross it are judged.
//
// By rpc there are no seams: a tree is stored as a whole.
#pragma once

#include "chain/tree/lineage.hpp"
#include "follow/state.hpp"
#include "storage/orphan_store.hpp"
#include "storage/tree_store.hpp"

#include <chrono>
#include <map>
#include <optional>

namespace receiptd::follow {

class Seams {
public:
    // `accounts`: with that scope a receipt may be in scope by its parent alone, which is stored below.
    Seams(storage::OrphanStore& orphans, storage::TreeStore& trees, State& state, bool accounts)
        : orphans_(orphans), trees_(trees), state_(state), accounts_(accounts) {}

    base::Task<void> close(base::HeightRange around, chain::NewsSince news_since);

    // Stretches of which a commit knows, and no run that would close them when it ends: it was stopped or
    // killed.
    base::Task<void> close_pending(std::chrono::seconds untouched_for);
    base::Task<void> forget(chain::Seam seam);
    base::Task<void> hold_scope(chain::Lineage& lineage, base::Height from);

private:
    storage::OrphanStore& orphans_;
    storage::TreeStore& trees_;
    State& state_;
    bool accounts_;
};

// The seams of one run: where it began, where it went on above heights that were stored already, and where
// it ends.
class RunSeams {
public:
    struct Settings {
        base::Height from = 0;
        bool bounded = false;
        bool history = false;  // of a backfill: people are told of no finding
    };
    // `seams`: null by rpc.
    RunSeams(Seams* seams, State& state, chain::Lineage& lineage, Settings settings);

    // The run goes on at `next`, where heights below are stored already.
    base::Task<void> begin_at(base::Height next);
    // Closes the seams below `next` again, when the trees that crossed them may have been completed.
    base::Task<void> close_when_due(base::Height next);
    base::Task<void> close_all(base::Height next);

    // The stretch that a batch up to `last` belongs to: the database remembers it with the batch, for the
    // case that the run never comes to its end. nullopt: nobody has to look at its ends.
    std::optional<chain::Seam> seam_up_to(base::Height last);
    // Along the head nothing is stored above: once its beginning is closed for good, nothing is to come.
    bool done() const;
    base::Task<void> forget();  // the remembered stretches, when their batches are written

private:
    base::Task<void> close(base::Height seam);
    base::Height longest_wait() const;

    Seams* seams_;
    State& state_;
    chain::Lineage& lineage_;
    Settings settings_;
    base::Height latest_;  // seam
    base::Height due_at_;
    std::map<base::Height, chain::Seam> remembered_;  // by their first height
};

}  // namespace receiptd::follow
