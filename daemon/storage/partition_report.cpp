#include "storage/partition_report.hpp"

#include <utility>

namespace receiptd::storage {

base::Task<PartitionReport> PgPartitions::report() {
    return database_.pool.maintenance.transaction([](pqxx::work& tx) {
        PartitionReport report;
        for (const auto& row :
             tx.exec("SELECT width_is_automatic, CASE WHEN width_is_automatic THEN "
                     "  automatic_width(partition_width, bytes) ELSE partition_width END, bytes::bigint "
                     "FROM chain_identity, bytes_a_day() AS bytes")) {
            report.is_automatic = row[0].as<bool>();
            report.width = row[1].as<std::string>();
            report.bytes_a_day = shim::optional_of<std::uint64_t>(row[2]);
        }
        for (const auto& row : tx.exec(
                 "SELECT name, count(part), coalesce(sum(pg_total_relation_size(part)), 0)::bigint, "
                 "  coalesce(min(lower(period))::date::text, ''), "
                 "  coalesce(max(upper(period))::date::text, '') "
                 "FROM history_tables() WITH ORDINALITY AS t (name, place) "
                 "LEFT JOIN history_partitions() ON table_name = name GROUP BY name, place ORDER BY place"))
            report.tables.push_back({row[0].as<std::string>(), row[1].as<std::uint64_t>(),
                                     row[2].as<std::uint64_t>(), row[3].as<std::string>(),
                                     row[4].as<std::string>()});
        report.locks = lock_room(tx);
        return report;
    });
}

base::Task<void> PgPartitions::set_width(ChainIdentity chain, std::string width) {
    co_await database_.check_identity(std::move(chain));
    co_await write_width(std::move(width));
}

base::Task<void> PgPartitions::write_width(std::string width) {
    return database_.pool.maintenance.transaction([width = std::move(width)](pqxx::work& tx) {
        shim::query(tx,
                    "UPDATE chain_identity SET width_is_automatic = ($1 = 'auto'), "
                    "partition_width = coalesce(nullif($1, 'auto'), partition_width)",
                    width);
    });
}

}  // namespace receiptd::storage
