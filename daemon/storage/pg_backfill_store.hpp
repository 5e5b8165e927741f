// BackfillStore on PostgreSQL.
#pragma once

#include "storage/backfill_store.hpp"
#include "storage/database.hpp"

namespace receiptd::storage {

class PgBackfillStore final : public BackfillStore {
public:
    // `database` must outlive it.
    explicit PgBackfillStore(Database& database) : database_(database) {}

    base::Task<BackfillProgress> claim_backfill(base::HeightRange range) override;
    base::Task<BackfillProgress> claim_fill(base::HeightRange range,
                                            std::vector<std::string> accounts) override;
    base::Task<BackfillProgress> claim_reindex(base::HeightRange range) override;
    base::Task<std::vector<BackfillProgress>> claim_abandoned_backfills() override;
    base::Task<void> renew_backfill(std::int64_t id) override;
    base::Task<void> finish_backfill(std::int64_t id) override;
    base::Task<void> release_backfill(std::int64_t id) override;

private:
    Database& database_;
};

}  // namespace receiptd::storage
