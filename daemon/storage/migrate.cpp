#include "storage/migrate.hpp"

#include "base/log.hpp"
#include "metrics/registry.hpp"
#include "metrics/storage_series.hpp"
#include "storage/errors.hpp"
#include "storage/fault.hpp"
#include "storage/session.hpp"

#include <sodium.h>

#include <charconv>
#include <map>

namespace receiptd::storage {
namespace {

constexpr std::chrono::seconds kPatience{30};

std::string sha256_hex(const std::string& text) {
    unsigned char digest[crypto_hash_sha256_BYTES];
    crypto_hash_sha256(digest, reinterpret_cast<const unsigned char*>(text.data()), text.size());
    char hex[2 * sizeof digest + 1];
    sodium_bin2hex(hex, sizeof hex, digest, sizeof digest);
    return hex;
}

int version_of(const SqlFile& file) {
    int version = 0;
    const auto* end = file.name.data() + file.name.size();
    const auto parsed = std::from_chars(file.name.data(), end, version);
    if (parsed.ec != std::errc{} || parsed.ptr == end || *parsed.ptr != '_' || version < 1)
        throw StorageError("migration " + file.name + " is not named NNNN_name.sql");
    return version;
}

// The files by version, which must be 1, 2, 3, …
std::map<int, const SqlFile*> numbered(const std::vector<SqlFile>& files) {
    std::map<int, const SqlFile*> by_version;
    for (const auto& file : files)
        if (!by_version.emplace(version_of(file), &file).second)
            throw StorageError("two migrations have the number of " + file.name);
    int expected = 1;
    for (const auto& [version, file] : by_version)
        if (version != expected++)
            throw StorageError("migration before " + file->name + " is missing from this program");
    return by_version;
}

std::string checksum_of(const std::vector<SqlFile>& schema) {
    std::string all;
    for (const auto& file : schema) all += '\0' + file.name + '\0' + file.text;
    return sha256_hex(all);
}

struct Stored {
    std::map<int, std::pair<std::string, std::string>> checksums;  // version -> name, checksum
    std::vector<MigrationStatus::Applied> applied;
    std::string schema_checksum;
};

bool table_exists(pqxx::transaction_base& tx, const std::string& table) {
    return shim::query(tx, "SELECT to_regclass($1) IS NOT NULL", table)[0][0].as<bool>();
}

Stored read_stored(pqxx::transaction_base& tx) {
    Stored stored;
    if (!table_exists(tx, "schema_migrations")) return stored;
    for (const auto& row : tx.exec("SELECT version, name, checksum, date_trunc('second', applied_at) "
                                   "FROM schema_migrations ORDER BY version")) {
        const auto version = row[0].as<int>();
        stored.checksums[version] = {row[1].as<std::string>(), row[2].as<std::string>()};
        stored.applied.push_back({version, row[1].as<std::string>(), row[3].as<std::string>()});
    }
    if (!table_exists(tx, "schema_objects")) return stored;
    const auto schema = tx.exec("SELECT checksum FROM schema_objects");
    if (!schema.empty()) stored.schema_checksum = schema[0][0].as<std::string>();
    return stored;
}

// Why the past of this database is not this program's; empty if it is.
std::string problem_of(const Stored& stored, const std::map<int, const SqlFile*>& files) {
    int expected = 1;
    for (const auto& [version, past] : stored.checksums) {
        if (version != expected++)
            return "the database lacks migration " + std::to_string(version - 1) +
                   " but has later ones; restore it from a backup";
        const auto file = files.find(version);
        if (file == files.end())
            return "the database is newer than this program (it has migration " + past.first +
                   "); use a newer receiptd";
        if (sha256_hex(file->second->text) != past.second)
            return "migration " + file->second->name +
                   " was changed after it had been applied here; use the release that made this database, or "
                   "a "
                   "new database";
    }
    return {};
}

MigrationStatus status_of(pqxx::transaction_base& tx, const SchemaFiles& files) {
    const auto by_version = numbered(files.migrations);
    const auto stored = read_stored(tx);
    MigrationStatus status;
    status.applied = stored.applied;
    status.problem = problem_of(stored, by_version);
    for (const auto& [version, file] : by_version)
        if (stored.checksums.count(version) == 0) status.pending.push_back(file->name);
    status.schema_current = stored.schema_checksum == checksum_of(files.schema);
    return status;
}

class Migrator {
public:
    Migrator(pqxx::connection& connection, const SchemaFiles& files, std::string readonly_role)
        : connection_(connection), files_(files), readonly_role_(std::move(readonly_role)) {}

    std::vector<std::string> run() {
        prepare_session();
        create_bookkeeping();
        const auto by_version = numbered(files_.migrations);
        const auto stored = stored_now();
        if (const auto problem = problem_of(stored, by_version); !problem.empty())
            throw StorageError(problem);
        for (const auto& [version, file] : by_version)
            if (stored.checksums.count(version) == 0) apply(version, *file);
        if (!applied_.empty() || stored.schema_checksum != checksum_of(files_.schema))
            apply_schema();
        else
            refresh_rights();
        return applied_;
    }

private:
    // One schema, and nothing of the session's temporary objects before it: functions with the
    // owner's rights keep this path.
    void prepare_session() {
        pqxx::nontransaction tx(connection_);
        tx.exec("SET statement_timeout = 0");
        const auto home = tx.exec(
            "SELECT quote_ident(current_schema()), current_user, current_database(), "
            "coalesce(has_schema_privilege(current_schema(), 'CREATE'), false), "
            "pg_encoding_to_char(encoding) FROM pg_database WHERE datname = current_database()")[0];
        if (home[4].as<std::string>() != "UTF8")
            throw StorageError("database \"" + home[2].as<std::string>() + "\" has the encoding " +
                               home[4].as<std::string>() + "; create it with ENCODING 'UTF8'");
        if (home[0].is_null() || !home[3].as<bool>())
            throw StorageError("user \"" + home[1].as<std::string>() +
                               "\" may not create tables in database \"" + home[2].as<std::string>() +
                               "\": run `receiptd migrate` as the database's owner");
        tx.exec("SELECT pg_advisory_lock(hashtextextended('receiptd migrate', 0))");
        tx.exec("SET search_path = " + home[0].as<std::string>() + ", pg_temp");
        shim::query(tx, "SELECT set_config('receiptd.readonly_role', $1, false)", readonly_role_);
    }

    void create_bookkeeping() {
        pqxx::work tx(connection_);
        if (table_exists(tx, "schema_migrations") && table_exists(tx, "schema_objects")) return;
        tx.exec(
            "CREATE TABLE schema_migrations (version int PRIMARY KEY, name text NOT NULL, checksum text NOT "
            "NULL, "
            "applied_at timestamptz NOT NULL DEFAULT now()); "
            "CREATE TABLE schema_objects (only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row), "
            "checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())");
        tx.commit();
    }

    Stored stored_now() {
        pqxx::work tx(connection_);
        return read_stored(tx);
    }

    void apply(int version, const SqlFile& file) {
        pqxx::work tx(connection_);
        execute(tx, file);
        shim::query(tx, "INSERT INTO schema_migrations (version, name, checksum) VALUES ($1, $2, $3)",
                    version, file.name, sha256_hex(file.text));
        tx.commit();
        applied_.push_back(file.name);
    }

    void apply_schema() {
        pqxx::work tx(connection_);
        for (const auto& file : files_.schema) execute(tx, file);
        shim::query(tx,
                    "INSERT INTO schema_objects (checksum) VALUES ($1) ON CONFLICT (only_row) DO UPDATE SET "
                    "checksum = excluded.checksum, applied_at = now()",
                    checksum_of(files_.schema));
        tx.commit();
        applied_.push_back("schema/");
    }

    // Roles may have been made, or the readers' role renamed, since the last run.
    void refresh_rights() {
        pqxx::work tx(connection_);
        for (const auto& file : files_.schema)
            if (file.name.find("grants") != std::string::npos) execute(tx, file);
        tx.commit();
    }

    void execute(pqxx::transaction_base& tx, const SqlFile& file) {
        try {
            tx.exec(file.text);
        } catch (const pqxx::sql_error& e) {
            const auto kind = fault_kind(shim::sqlstate_of(e));
            if (kind == FaultKind::outage || kind == FaultKind::retry) throw;
            throw StorageError(file.name + " failed, nothing of it was applied: " + e.what());
        }
    }

    pqxx::connection& connection_;
    const SchemaFiles& files_;
    std::string readonly_role_;
    std::vector<std::string> applied_;
};

// A one-shot command's session.
template <class Work>
auto with_session(DatabaseOptions database, Work work) {
    if (!database.patience) database.patience = kPatience;
    metrics::Registry registry;
    metrics::StorageSeries series(registry);
    SessionContext context(database, series);
    Session session(context);
    return session.run(std::move(work));
}

}  // namespace

std::vector<std::string> migrate(const DatabaseOptions& database, const std::string& readonly_role,
                                 const SchemaFiles& files) {
    return with_session(database, [&](pqxx::connection& connection) {
        auto applied = Migrator(connection, files, readonly_role).run();
        pqxx::nontransaction(connection).exec("SELECT pg_advisory_unlock_all()");
        return applied;
    });
}

MigrationStatus migrate_status(pqxx::connection& connection, const SchemaFiles& files) {
    pqxx::work tx(connection);
    return status_of(tx, files);
}

MigrationStatus migrate_status(const DatabaseOptions& database, const SchemaFiles& files) {
    return with_session(database,
                        [&](pqxx::connection& connection) { return migrate_status(connection, files); });
}

void require_current_schema(pqxx::connection& connection) {
    const auto status = migrate_status(connection);
    if (!status.problem.empty()) throw StorageError(status.problem);
    if (status.applied.empty())
        throw StorageError(
            "this database has no tables of receiptd: run `receiptd migrate` (and check database.url)");
    if (!status.current())
        throw StorageError("the database's schema is older than this program: run `receiptd migrate`");
}

}  // namespace receiptd::storage
