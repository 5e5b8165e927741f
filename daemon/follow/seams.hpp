// Where a run of whole blocks begins or ends, a receipt and its parent may be stored by different runs: the
// orphans at such a seam are given their parents, and the trees that cross it are judged.
//
// By rpc there are no seams: a tree is stored as a whole.
#pragma once

#include "chain/tree/lineage.hpp"
#include "follow/state.hpp"
#include "storage/orphan_store.hpp"
#include "storage/tree_store.hpp"

namespace receiptd::follow {

class Seams {
public:
    Seams(storage::OrphanStore& orphans, storage::TreeStore& trees, State& state)
        : orphans_(orphans), trees_(trees), state_(state) {}

    // Findings older than `news_since` are history: nobody is told of them.
    base::Task<void> close(base::HeightRange around, base::WallTime news_since);

    // With scope accounts a receipt may be in scope by its parent alone, which is stored below.
    base::Task<void> hold_scope(chain::Lineage& lineage, base::Height from);

private:
    storage::OrphanStore& orphans_;
    storage::TreeStore& trees_;
    State& state_;
};

}  // namespace receiptd::follow
