// Fetches stored heights again and replaces all of their rows (docs/decisions/0063).
#pragma once

#include "follow/refetch.hpp"
#include "storage/reindex_store.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace receiptd::follow {

// Blocks that the stored ones between these heights name as parents, and that are not stored, are among them
// then. `above`: the stored block above; nullopt: there is none, or more blocks of these heights.
std::vector<chain::BlockRef> with_parents(std::vector<chain::BlockRef> stored, base::Height from,
                                          const std::optional<chain::BlockRef>& above);

class Reindex final : public Refetch {
public:
    // `order`: BackfillStore::claim_reindex.
    Reindex(Engine& engine, storage::AccountStore& store, storage::ReindexStore& reindex, std::int64_t order)
        : Refetch(engine, store, engine.scope), reindex_(reindex), order_(order) {}

private:
    base::Task<base::HeightSet> look() override;
    base::Task<base::Height> begin(base::HeightRange stretch, base::Height stored_from) override;
    base::Task<std::vector<chain::BlockRef>> blocks_of(base::HeightRange heights) override;
    base::Task<bool> write(chain::RowBatch batch) override;
    base::Task<void> finish() override;

    storage::ReindexStore& reindex_;
    std::int64_t order_;
};

}  // namespace receiptd::follow
