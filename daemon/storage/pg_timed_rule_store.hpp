// TimedRuleStore on PostgreSQL.
#pragma once

#include "storage/database.hpp"
#include "storage/timed_rule_store.hpp"

namespace receiptd::storage {

class PgTimedRuleStore final : public TimedRuleStore {
public:
    // `database` must outlive it.
    explicit PgTimedRuleStore(Database& database) : database_(database) {}

    base::Task<std::optional<TimedReport>> evaluate(std::int64_t epoch, base::WallTime newest) override;

private:
    Database& database_;
};

}  // namespace receiptd::storage
