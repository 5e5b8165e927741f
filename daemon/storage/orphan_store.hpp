// Receipts whose parent is stored by another run, or not yet (orphan_receipts).
#pragma once

#include "base/height_set.hpp"
#include "base/task.hpp"
#include "chain/rows/rows.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace receiptd::storage {

class OrphanStore {
public:
    virtual ~OrphanStore() = default;

    // Finds parents up to `to` for orphan receipts in [from, to + window] (chain/lineage.hpp). Idempotent.
    virtual base::Task<void> adopt_orphans(base::HeightRange around) = 0;

    // Ids of receipts and data that stored rows below `height` announce, within the window of lineage, and
    // that are not stored themselves (scope accounts: they are in scope).
    virtual base::Task<std::vector<std::string>> announced_below(base::Height height) = 0;

    // Stretches that commits have named (CommitFacts::seam) and nobody has forgotten, to which no height was
    // added for so long.
    virtual base::Task<std::vector<chain::Seam>> pending_seams(std::chrono::seconds untouched_for) = 0;
    // Its ends were looked at. One that has grown meanwhile stays.
    virtual base::Task<void> forget_seam(chain::Seam seam) = 0;
};

}  // namespace receiptd::storage
