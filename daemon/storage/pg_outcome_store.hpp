// OutcomeStore on PostgreSQL.
#pragma once

#include "storage/database.hpp"
#include "storage/outcome_store.hpp"

namespace receiptd::storage {

class PgOutcomeStore final : public OutcomeStore {
public:
    // `database` must outlive it.
    explicit PgOutcomeStore(Database& database) : database_(database) {}

    base::Task<void> hold_alerts(std::optional<std::chrono::seconds> for_long) override;
    base::Task<Compared> compare_outcomes(base::Height from, base::Height agreed) override;
    base::Task<void> leave_unconfirmed(base::HeightSet heights) override;
    base::Task<FalseOutcomes> false_outcomes(base::Height height, base::Height agreed) override;
    base::Task<std::map<base::Height, RootsAbove>> roots_above(base::HeightSet heights,
                                                               base::Height agreed) override;

private:
    Database& database_;
};

}  // namespace receiptd::storage
