// OrphanStore on PostgreSQL.
#pragma once

#include "storage/database.hpp"
#include "storage/orphan_store.hpp"

namespace receiptd::storage {

// Held to the end of the transaction: what belongs together is not committed past each other.
void lock_adoption(pqxx::transaction_base& tx);

class PgOrphanStore final : public OrphanStore {
public:
    // `database` must outlive it.
    explicit PgOrphanStore(Database& database) : database_(database) {}

    base::Task<void> adopt_orphans(base::HeightRange around) override;
    base::Task<std::vector<std::string>> announced_below(base::Height height) override;
    base::Task<std::vector<chain::Seam>> pending_seams(std::chrono::seconds untouched_for) override;
    base::Task<void> forget_seam(chain::Seam seam) override;

private:
    Database& database_;
};

}  // namespace receiptd::storage
