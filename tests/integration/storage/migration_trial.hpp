// Tries a migration as receiptd would apply it, takes it back, and tells which rules of migrations/README.md
// it breaks.
#pragma once

#include "storage/migration_plan.hpp"
#include "support/postgres.hpp"
#include "support/read_file.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace receiptd::test {

// The last migration of the first tag: what comes later keeps the rules. Until then they are changed in
// place.
inline constexpr std::size_t kBaseline = 7;

// A migration that keeps the rules, after those of this program.
inline storage::SqlFile later_migration(const std::vector<storage::SqlFile>& before) {
    const auto number = std::to_string(before.size() + 1);
    return {std::string(4 - number.size(), '0') + number + "_later.sql",
            read_file(RECEIPTD_SOURCES "/tests/data/migrations/later.sql")};
}

class MigrationTrial {
public:
    explicit MigrationTrial(const std::string& url) : connection_(quiet_connection(url)) {}

    std::vector<std::string> broken_by(const storage::SqlFile& migration) {
        pqxx::work tx(*connection_);
        tx.exec("SET LOCAL lock_timeout = '2s'");
        const auto files = by_table(tx, kFiles), touched = by_table(tx, kTouched);
        const auto tables = by_table(tx, kTables);
        const auto identity = one_value(tx.exec(kIdentity));
        tx.exec(migration.text);
        if (one_value(tx.exec(kIdentity)) != identity)
            return {"ends its transaction, or changes a timeout of it"};
        std::vector<std::string> broken;
        const auto declared = storage::declared_work(migration);
        for (const auto& [table, file] : by_table(tx, kFiles))
            if (const auto before = files.find(table); before != files.end() && before->second != file)
                broken.push_back("rewrites " + table);
        for (const auto& [table, times] : by_table(tx, kTouched))
            if (const auto before = touched.find(table); before == touched.end() || before->second != times)
                broken.push_back("reads or writes rows of " + table);
        add_locks(tx, tables, declared, broken);
        add_what_is_left(tx, declared, broken);
        return broken;
    }

private:
    static inline const std::string kLarge =
        "(SELECT c.oid, coalesce(h.inhparent, c.oid)::regclass::text AS root FROM pg_class c "
        "LEFT JOIN pg_inherits h ON h.inhrelid = c.oid "
        "WHERE c.relnamespace IN ('public'::regnamespace, 'receiptd_partitions'::regnamespace) AND c.relkind "
        "IN ('r', 'p') "
        "AND (c.relkind = 'p' OR h.inhrelid IS NOT NULL OR c.relname = ANY (ARRAY['orphan_receipts', "
        "'watches', "
        "'watch_transitions', 'stream_events', 'alerts', 'deliveries', 'executions', 'id_runs', "
        "'id_buckets', "
        "'id_additions']))) large ";
    static inline const std::string kFiles =
        "SELECT root, string_agg(pg_relation_filenode(oid)::text, ',' ORDER BY oid) FROM " + kLarge +
        "GROUP BY 1";
    static inline const std::string kTouched =
        "SELECT root, sum(seq_scan + coalesce(idx_scan, 0) + n_tup_ins + n_tup_upd + n_tup_del)::text "
        "FROM pg_stat_xact_all_tables JOIN " +
        kLarge +
        "ON oid = relid GROUP BY 1 HAVING sum(seq_scan + coalesce(idx_scan, 0) + n_tup_ins + n_tup_upd + "
        "n_tup_del) > 0";
    static constexpr const char* kIdentity =
        "SELECT format('%s %s %s', txid_current(), current_setting('lock_timeout'), "
        "current_setting('statement_timeout'))";
    // The strongest lock that holds up readers or writers, of each table, and whether partitions are locked
    // so, too.
    static constexpr const char* kLocks =
        "SELECT root, (array_agg(mode ORDER BY strength DESC))[1], bool_or(is_part) FROM ("
        "  SELECT coalesce(h.inhparent, l.relation)::regclass::text AS root, h.inhrelid IS NOT NULL AS "
        "is_part, "
        "    array_position(ARRAY['ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', "
        "'AccessExclusiveLock'], l.mode) "
        "      AS strength, trim(upper(regexp_replace(replace(l.mode, 'Lock', ''), '([A-Z])', ' \\1', 'g'))) "
        "AS mode "
        "  FROM pg_locks l JOIN pg_class c ON c.oid = l.relation AND c.relkind IN ('r', 'p') "
        "  LEFT JOIN pg_inherits h ON h.inhrelid = l.relation "
        "  WHERE l.pid = pg_backend_pid() AND c.relnamespace IN ('public'::regnamespace, "
        "'receiptd_partitions'::regnamespace)) held "
        "WHERE strength IS NOT NULL GROUP BY root ORDER BY root";
    static constexpr const char* kTables =
        "SELECT relname, '' FROM pg_class WHERE relnamespace IN ('public'::regnamespace, "
        "'receiptd_partitions'::regnamespace) AND relkind IN ('r', "
        "'p')";

    static void add_locks(pqxx::work& tx, const std::map<std::string, std::string>& tables,
                          storage::DeclaredWork declared, std::vector<std::string>& broken) {
        int partitioned = 0;
        for (const auto& row : tx.exec(kLocks)) {
            const auto table = row[0].as<std::string>(), mode = row[1].as<std::string>();
            if (!tables.contains(table)) continue;  // it is new
            partitioned += row[2].as<bool>() ? 1 : 0;
            if (declared.locks[table] != mode)
                broken.push_back("does not say that it locks " + table + " " + mode);
            declared.locks.erase(table);
        }
        for (const auto& [table, mode] : declared.locks)
            broken.push_back("does not lock " + table + " as it says");
        if (partitioned > 1) broken.push_back("locks the partitions of several tables");
    }

    static void add_what_is_left(pqxx::work& tx, const storage::DeclaredWork& declared,
                                 std::vector<std::string>& broken) {
        std::set<std::string> left;
        for (const auto& each : storage::unfinished(tx)) left.insert(each.table);
        const std::set<std::string> said(declared.afterwards.begin(), declared.afterwards.end());
        if (left != said) broken.push_back("does not say which tables are read afterwards");
    }

    static std::map<std::string, std::string> by_table(pqxx::work& tx, const std::string& sql) {
        std::map<std::string, std::string> found;
        for (const auto& row : tx.exec(sql)) found[row[0].as<std::string>()] = row[1].c_str();
        return found;
    }

    std::unique_ptr<pqxx::connection> connection_;
};

}  // namespace receiptd::test
