// How far a database's schema is, seen from one program.
//
// migrations/NNNN_name.sql run once, in order; what ran is kept with its checksum and must never change.
// schema/*.sql (views, functions, comments, rights) run again, together, whenever one of them changed.
#pragma once

#include "storage/embedded_sql.hpp"
#include "storage/pqxx_shim.hpp"

#include <map>
#include <string>
#include <utility>
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
    std::string user;                  // of this connection
    std::string owner;                 // of the tables, or of a database without them
    bool user_owns = false;            // or may make the first tables
    bool current() const { return pending.empty() && schema_current && problem.empty(); }
    // Why the schema is not this program's; for a status that is not current and has no problem.
    std::string outdated() const;
    // Why this program cannot use the database, and what to do; empty if it can.
    std::string refusal() const;
};

// Earlier migrations, as they are stored.
struct StoredSchema {
    std::map<int, std::pair<std::string, std::string>> checksums;  // version -> name, checksum
    std::vector<MigrationStatus::Applied> applied;
    std::string schema_checksum;
    std::string applied_by;  // the program that applied schema/ last
};

// The files by version. Throws StorageError unless they are 1, 2, 3, …
std::map<int, const SqlFile*> numbered(const std::vector<SqlFile>& files);
std::string sha256_hex(const std::string& text);
std::string checksum_of(const std::vector<SqlFile>& schema);
bool table_exists(pqxx::transaction_base& tx, const std::string& table);
StoredSchema read_stored(pqxx::transaction_base& tx);
// Why the past of this database is not this program's; empty if it is.
std::string problem_of(const StoredSchema& stored, const std::map<int, const SqlFile*>& files,
                       const std::string& schema_checksum);
MigrationStatus status_of(pqxx::transaction_base& tx, const SchemaFiles& files);

// What the database has from a later version than this program, with that version; empty: nothing.
std::string newer_schema(pqxx::transaction_base& tx);

}  // namespace receiptd::storage
