// Stored heights that are fetched again, and the rows that take the place of theirs (docs/decisions/0063).
#pragma once

#include "base/height_set.hpp"
#include "base/task.hpp"
#include "chain/rows/rows.hpp"

#include <cstdint>

namespace receiptd::storage {

class ReindexStore {
public:
    virtual ~ReindexStore() = default;

    // Heights of the order (BackfillStore::claim_reindex) that are still stored and not replaced.
    virtual base::Task<base::HeightSet> to_replace(std::int64_t order) = 0;
    // One transaction: the rows of these heights for those that are stored there, and that the order has
    // done with them. Results and findings stay until judge_again(). By source rpc trees are not in the
    // rows: what is stored of them stays, and they are pending. Nobody is told of anything. False: a height
    // is not stored any more; nothing was written.
    virtual base::Task<bool> replace_rows(std::int64_t order, chain::RowBatch batch) = 0;
    // Source rpc: trees whose transactions these heights include, and that lack receipts, are pending.
    virtual base::Task<void> fetch_lacking(base::HeightRange included_in) = 0;
    // Judges trees again whose transactions these heights include, and takes back what people were told of
    // them and does not hold.
    virtual base::Task<void> judge_again(base::HeightRange included_in) = 0;
};

}  // namespace receiptd::storage
