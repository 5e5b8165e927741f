// LeaseStore on PostgreSQL.
#pragma once

#include "storage/database.hpp"
#include "storage/lease_store.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace receiptd::storage {

// Whether the epoch is that of the leader. Whoever takes over waits until this transaction has ended.
bool leads(pqxx::transaction_base& tx, std::int64_t epoch);

class PgLeaseStore final : public LeaseStore {
public:
    // `place`, `process`: as in Lease, of this process. `database` must outlive it. While it leads, sessions
    // of processes that have stood still in the middle of a statement for `frozen_after` are ended.
    PgLeaseStore(Database& database, std::string place, std::string process,
                 std::chrono::milliseconds frozen_after = std::chrono::seconds(15))
        : database_(database),
          place_(std::move(place)),
          process_(std::move(process)),
          frozen_after_(frozen_after) {}

    base::Task<Lease> hold(std::string gone) override;
    base::Task<void> release() override;

private:
    Database& database_;
    std::string place_;
    std::string process_;
    std::chrono::milliseconds frozen_after_;
};

}  // namespace receiptd::storage
