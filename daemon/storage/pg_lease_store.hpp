// LeaseStore on PostgreSQL.
#pragma once

#include "storage/database.hpp"
#include "storage/lease_store.hpp"

#include <cstdint>
#include <string>

namespace receiptd::storage {

// Whether the epoch is that of the leader. Whoever takes over waits until this transaction has ended.
bool leads(pqxx::transaction_base& tx, std::int64_t epoch);

class PgLeaseStore final : public LeaseStore {
public:
    // `place`, `process`: as in Lease, of this process. `database` must outlive it.
    PgLeaseStore(Database& database, std::string place, std::string process)
        : database_(database), place_(std::move(place)), process_(std::move(process)) {}

    base::Task<Lease> hold(std::string gone) override;
    base::Task<void> release() override;

private:
    Database& database_;
    std::string place_;
    std::string process_;
};

}  // namespace receiptd::storage
