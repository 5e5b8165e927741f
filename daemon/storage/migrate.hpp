// Brings a database to this program's schema (schema_state.hpp). Several migrators wait for each other.
//
// A change waits for readers of a table only for moments, because everybody else waits behind it: it gives
// up, lets the others pass, and is tried again. Where people have built views or functions on receiptd's
// objects, all changes are one transaction, so that a refusal leaves the database as it was; otherwise each
// file is one.
#pragma once

#include "storage/database_options.hpp"
#include "storage/migration_plan.hpp"
#include "storage/schema_state.hpp"
#include "storage/unfinished.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace receiptd::storage {

// How a change of the schema waits for those who use its tables.
struct MigrationPatience {
    std::chrono::milliseconds lock{2'000};
    std::chrono::milliseconds pause{5'000};
    unsigned attempts = 30;
};

// Throws StorageError: unreachable database, missing rights, changed past, newer database, gaps, failed SQL,
// and what other people's objects or transactions are in the way. Returns the applied files. `readonly_role`
// is config::Database::readonly_role.
std::vector<std::string> migrate(const DatabaseOptions& database, const std::string& readonly_role,
                                 const SchemaFiles& files = {}, const MigrationPatience& patience = {});

// Does what migrations have left (unfinished.hpp), all of it; returns what could not be done now.
std::vector<Unfinished> finish_migrations(const DatabaseOptions& database);

// Throws StorageError when the database cannot be asked.
MigrationPlan migration_plan(const DatabaseOptions& database, const SchemaFiles& files = {});
MigrationStatus migrate_status(const DatabaseOptions& database, const SchemaFiles& files = {});

// The command that a user without the right to migrate passes on to the one who has it; `config_file` may be
// empty.
std::string migrate_command(const DatabaseOptions& database, const std::string& owner,
                            const std::string& config_file);

// Throws StorageError unless the database has exactly this program's schema, and where others have put
// objects into it that would be called with the daemon's rights.
void require_current_schema(pqxx::connection& connection);
// The same, on a connection of its own: for commands, before their work.
void require_current_schema(const DatabaseOptions& database);

}  // namespace receiptd::storage
