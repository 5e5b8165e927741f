#include "storage/pg_orphan_store.hpp"

#include "storage/orphan_sql.hpp"

#include <utility>

namespace receiptd::storage {

PgOrphanStore::PgOrphanStore(SessionContext& sessions, PartitionKeeper& partitions)
    : sessions_(sessions), partitions_(partitions), lane_(sessions) {}

PgOrphanStore::~PgOrphanStore() { sessions_.stop.request(); }

base::Task<UnplacedRound> PgOrphanStore::due_unplaced(unsigned limit) {
    return lane_.run([limit](pqxx::connection& connection) { return sql::due_unplaced(connection, limit); });
}

base::Task<std::uint64_t> PgOrphanStore::unplaced_count(base::HeightRange listed_in) {
    return lane_.run(
        [listed_in](pqxx::connection& connection) { return sql::unplaced_count(connection, listed_in); });
}

base::Task<void> PgOrphanStore::postpone_unplaced(std::string receipt_id, std::chrono::milliseconds delay,
                                                  bool in_vain, std::string reason) {
    return lane_.run([receipt_id = std::move(receipt_id), delay, in_vain,
                      reason = std::move(reason)](pqxx::connection& connection) {
        sql::postpone_unplaced(connection, receipt_id, delay, in_vain, reason);
    });
}

base::Task<void> PgOrphanStore::place(FoundTransaction found) {
    return lane_.run([this, found = std::move(found)](pqxx::connection& connection) {
        sql::place(connection, found, partitions_);
    });
}

base::Task<void> PgOrphanStore::want_outcome(std::string receipt_id, std::string reason) {
    return lane_.run(
        [receipt_id = std::move(receipt_id), reason = std::move(reason)](pqxx::connection& connection) {
            sql::want_outcome(connection, receipt_id, reason);
        });
}

base::Task<void> PgOrphanStore::store_orphan(std::string receipt_id, chain::RowBatch rows) {
    return lane_.run(
        [this, receipt_id = std::move(receipt_id), rows = std::move(rows)](pqxx::connection& connection) {
            sql::store_orphan(connection, receipt_id, rows, partitions_);
        });
}

base::Task<std::optional<chain::ExecutedAt>> PgOrphanStore::executed_at(std::string block_hash,
                                                                        std::string outcome_root) {
    return lane_.run([block_hash = std::move(block_hash),
                      outcome_root = std::move(outcome_root)](pqxx::connection& connection) {
        return sql::executed_at(connection, block_hash, outcome_root);
    });
}

}  // namespace receiptd::storage
