// Backfill orders, each worked on by the process that holds its lease.
#pragma once

#include "base/height_set.hpp"
#include "base/task.hpp"

#include <cstdint>
#include <vector>

namespace receiptd::storage {

struct BackfillProgress {
    std::int64_t id = 0;
    base::HeightRange range;
    base::HeightSet missing;  // range minus covered
    bool leased = false;      // by somebody alive
};

class BackfillStore {
public:
    virtual ~BackfillStore() = default;

    // Registers (or finds the unfinished registration of) a range and leases it to this process.
    virtual base::Task<BackfillProgress> claim_backfill(base::HeightRange range) = 0;
    // Two unfinished ones at most whose lease has run out, leased to this process now.
    virtual base::Task<std::vector<BackfillProgress>> claim_abandoned_backfills() = 0;
    virtual base::Task<void> renew_backfill(std::int64_t id) = 0;  // call at least every 15 s
    virtual base::Task<void> finish_backfill(std::int64_t id) = 0;
    virtual base::Task<void> release_backfill(std::int64_t id) = 0;
};

}  // namespace receiptd::storage
