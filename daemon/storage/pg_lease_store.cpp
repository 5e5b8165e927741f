#include "storage/pg_lease_store.hpp"

#include "base/log.hpp"

#include <utility>

namespace receiptd::storage {
namespace {

// The row is locked before it is written: where an UPDATE itself waits and the other transaction is rolled
// back, PostgreSQL writes the values of before the wait, and the lease would have expired when it begins.

// Renewing leaves the key alone, so it waits for no commit that shares it.
constexpr const char* kLockOwn = "SELECT FROM leader WHERE holder = $1::uuid FOR NO KEY UPDATE";
constexpr const char* kRenew = "UPDATE leader SET until = clock_timestamp() + interval '3 seconds'";

constexpr const char* kLockFree =
    "SELECT FROM leader WHERE until < clock_timestamp() OR holder::text = $1 FOR UPDATE";
constexpr const char* kTakeOver =
    "UPDATE leader SET epoch = epoch + 1, holder = $1::uuid, place = $2, process = $3, "
    "  until = clock_timestamp() + interval '3 seconds'";

// No target, as two daemons that begin at once may meet in either key.
constexpr const char* kBegin =
    "INSERT INTO leader (epoch, holder, place, process, until) "
    "VALUES (1, $1::uuid, $2, $3, clock_timestamp() + interval '3 seconds') ON CONFLICT DO NOTHING";

// A process that is frozen while it writes rows, or reads an answer, holds the locks of its transaction, and
// PostgreSQL waits for it: statement_timeout does not count meanwhile, and the transaction is not idle.
void end_frozen_sessions(pqxx::transaction_base& tx, std::chrono::milliseconds after) {
    const auto ended = shim::query(
        tx,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
        "AND usename = current_user AND application_name = current_setting('application_name') AND pid <> "
        "pg_backend_pid() "
        "AND state = 'active' AND wait_event IN ('ClientRead', 'ClientWrite') "
        "AND query_start < clock_timestamp() - $1::bigint * interval '1 millisecond'",
        after.count());
    if (!ended.empty())
        log::warn("database sessions of a process that stands still were ended, as they hold locks",
                  {{"sessions", ended.size()}});
}

}  // namespace

// Taking over changes the key.
bool leads(pqxx::transaction_base& tx, std::int64_t epoch) {
    return !shim::query(tx, "SELECT FROM leader WHERE epoch = $1 FOR KEY SHARE", epoch).empty();
}

base::Task<Lease> PgLeaseStore::hold(std::string gone) {
    return database_.pool.lease.transaction([id = database_.process(), place = place_, process = process_,
                                             frozen_after = frozen_after_,
                                             gone = std::move(gone)](pqxx::work& tx) {
        if (!shim::query(tx, kLockOwn, id).empty())
            shim::query(tx, kRenew);
        else if (!shim::query(tx, kLockFree, gone).empty())
            shim::query(tx, kTakeOver, id, place, process);
        else
            shim::query(tx, kBegin, id, place, process);
        const auto row = shim::query(
            tx, "SELECT holder = $1::uuid, epoch, holder::text, place, process FROM leader", id)[0];
        Lease lease;
        lease.mine = row[0].as<bool>();
        if (lease.mine) end_frozen_sessions(tx, frozen_after);
        lease.epoch = row[1].as<std::int64_t>();
        lease.holder = row[2].as<std::string>();
        lease.place = row[3].as<std::string>();
        lease.process = row[4].as<std::string>();
        return lease;
    });
}

base::Task<void> PgLeaseStore::release() {
    return database_.pool.lease.transaction([id = database_.process()](pqxx::work& tx) {
        shim::query(tx, "UPDATE leader SET until = '-infinity' WHERE holder = $1::uuid", id);
    });
}

}  // namespace receiptd::storage
