// Brings a database to this program's schema and says how far it is.
//
// migrations/NNNN_name.sql run once, in order, each in its own transaction; what ran is kept with its
// checksum and must never change. schema/*.sql (views, functions, comments, rights) run again, together
// in one transaction, whenever one of them changed. Several migrators wait for each other.
#pragma once

#include "storage/database_options.hpp"
#include "storage/embedded_sql.hpp"
#include "storage/pqxx_shim.hpp"

#include <string>
#include <vector>

namespace receiptd::storage {

struct SchemaFiles {
    std::vector<SqlFile> migrations = migration_files();
    std::vector<SqlFile> schema = schema_files();
};

struct MigrationStatus {
    struct Applied {
        int version = 0;
        std::string name;
        std::string applied_at;
    };
    std::vector<Applied> applied;
    std::vector<std::string> pending;  // names of files
    bool schema_current = false;       // schema/ is as it is in this program
    std::string problem;               // why this program cannot use the database; empty if it can
    bool current() const { return pending.empty() && schema_current && problem.empty(); }
};

// Throws StorageError: unreachable database, missing rights, changed past, newer database, gaps, failed SQL.
// Returns the applied migrations. `readonly_role` is config::Database::readonly_role.
std::vector<std::string> migrate(const DatabaseOptions& database, const std::string& readonly_role,
                                 const SchemaFiles& files = {});

MigrationStatus migrate_status(const DatabaseOptions& database, const SchemaFiles& files = {});
MigrationStatus migrate_status(pqxx::connection& connection, const SchemaFiles& files = {});

// Throws StorageError unless the database has exactly this program's schema.
void require_current_schema(pqxx::connection& connection);

}  // namespace receiptd::storage
