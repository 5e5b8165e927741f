// Backfill orders, each worked on by the process that holds its lease.
#pragma once

#include "base/height_set.hpp"
#include "base/task.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace receiptd::storage {

struct BackfillProgress {
    std::int64_t id = 0;
    base::HeightRange range;
    std::vector<std::string>
        accounts;             // whose rows are fetched for stored heights; empty: heights are stored
    base::HeightSet missing;  // range minus covered, where there are no accounts
    bool replaces = false;    // stored heights are fetched again (reindex_store.hpp)
    bool leased = false;      // by somebody alive
};

class BackfillStore {
public:
    virtual ~BackfillStore() = default;

    // Registers (or finds the unfinished registration of) a range and leases it to this process.
    virtual base::Task<BackfillProgress> claim_backfill(base::HeightRange range) = 0;
    // The same of accounts whose rows are fetched for stored heights; one of wider heights will do.
    virtual base::Task<BackfillProgress> claim_fill(base::HeightRange range,
                                                    std::vector<std::string> accounts) = 0;
    // Stored heights of a range are fetched again; an unfinished order of wider heights will do.
    virtual base::Task<BackfillProgress> claim_reindex(base::HeightRange range) = 0;
    // Two unfinished ones at most whose lease has run out, leased to this process now.
    virtual base::Task<std::vector<BackfillProgress>> claim_abandoned_backfills() = 0;
    virtual base::Task<void> renew_backfill(std::int64_t id) = 0;  // call at least every 15 s
    virtual base::Task<void> finish_backfill(std::int64_t id) = 0;
    virtual base::Task<void> release_backfill(std::int64_t id) = 0;
};

}  // namespace receiptd::storage
