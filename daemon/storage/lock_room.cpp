#include "storage/lock_room.hpp"

namespace receiptd::storage {

LockRoom lock_room(pqxx::transaction_base& tx) {
    const auto row = tx.exec(
        "WITH slots AS (SELECT current_setting('max_connections')::bigint "
        "    + current_setting('max_prepared_transactions')::bigint AS count), "
        "needed AS (SELECT count(*) FILTER (WHERE relkind = 'r') AS partitions, count(*) AS locks "
        "  FROM pg_class WHERE relnamespace = to_regnamespace('receiptd_partitions') AND relkind IN ('r', "
        "'i')) "
        "SELECT partitions, locks, current_setting('max_locks_per_transaction')::bigint * slots.count, "
        "  (ceil(2.0 * locks / slots.count / 64) * 64)::bigint FROM slots, needed")[0];
    return {row[0].as<std::uint64_t>(), row[1].as<std::uint64_t>(), row[2].as<std::uint64_t>(),
            row[3].as<std::uint64_t>()};
}

std::string LockRoom::in_words() const {
    return "a statement over all times, or a dump, locks " + std::to_string(partitions) +
           " partitions with their indexes, " + std::to_string(needed) + " locks in all; the server has " +
           std::to_string(room) + " for all of its sessions" +
           (is_tight() ? ": set max_locks_per_transaction = " + std::to_string(advised) +
                             " and restart PostgreSQL, or have wider partitions from now on (`receiptd "
                             "partitions --width`)"
                       : "");
}

}  // namespace receiptd::storage
