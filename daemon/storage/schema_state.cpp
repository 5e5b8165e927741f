#include "storage/schema_state.hpp"

#include "storage/errors.hpp"

#include <sodium.h>

#include <array>
#include <charconv>
#include <cstdio>

namespace receiptd::storage {
namespace {

constexpr const char* kThisProgram = "receiptd " RECEIPTD_VERSION;

int version_of(const SqlFile& file) {
    int version = 0;
    const auto* end = file.name.data() + file.name.size();
    const auto parsed = std::from_chars(file.name.data(), end, version);
    if (parsed.ec != std::errc{} || parsed.ptr == end || *parsed.ptr != '_' || version < 1)
        throw StorageError("migration " + file.name + " is not named NNNN_name.sql");
    return version;
}

// Whether "receiptd X.Y.Z" is of a later version than this program.
bool is_later(const std::string& program) {
    const auto numbers = [](const std::string& text) {
        std::array<int, 3> version{};
        std::sscanf(text.c_str(), "receiptd %d.%d.%d", &version[0], &version[1], &version[2]);
        return version;
    };
    return numbers(program) > numbers(kThisProgram);
}

std::string by_whom(const std::string& program) { return ", applied by " + program; }

}  // namespace

std::string sha256_hex(const std::string& text) {
    unsigned char digest[crypto_hash_sha256_BYTES];
    crypto_hash_sha256(digest, reinterpret_cast<const unsigned char*>(text.data()), text.size());
    char hex[2 * sizeof digest + 1];
    sodium_bin2hex(hex, sizeof hex, digest, sizeof digest);
    return hex;
}

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

bool table_exists(pqxx::transaction_base& tx, const std::string& table) {
    return shim::query(tx, "SELECT to_regclass($1) IS NOT NULL", table)[0][0].as<bool>();
}

StoredSchema read_stored(pqxx::transaction_base& tx) {
    StoredSchema stored;
    if (!table_exists(tx, "schema_migrations")) return stored;
    for (const auto& row : tx.exec("SELECT version, name, checksum, date_trunc('second', applied_at) "
                                   "FROM schema_migrations ORDER BY version")) {
        const auto version = row[0].as<int>();
        stored.checksums[version] = {row[1].as<std::string>(), row[2].as<std::string>()};
        stored.applied.push_back({version, row[1].as<std::string>(), row[3].as<std::string>()});
    }
    if (!table_exists(tx, "schema_objects")) return stored;
    // What is not this program's may lack a column, and is refused for what it is.
    const auto schema =
        tx.exec("SELECT checksum, coalesce(to_jsonb(o) ->> 'applied_by', '') FROM schema_objects o");
    if (schema.empty()) return stored;
    stored.schema_checksum = schema[0][0].as<std::string>();
    stored.applied_by = schema[0][1].as<std::string>();
    return stored;
}

std::string problem_of(const StoredSchema& stored, const std::map<int, const SqlFile*>& files,
                       const std::string& schema_checksum) {
    int expected = 1;
    for (const auto& [version, past] : stored.checksums) {
        if (version != expected++)
            return "the database lacks migration " + std::to_string(version - 1) +
                   " but has later ones; restore it from a backup";
        const auto file = files.find(version);
        if (file == files.end())
            return "the database is newer than this program: it has " +
                   stored.checksums.rbegin()->second.first + by_whom(stored.applied_by) + ", and " +
                   kThisProgram + " knows no later migration than " +
                   (files.empty() ? "none" : files.rbegin()->second->name) +
                   "; use that receiptd or a newer one (to go back to this one, restore a backup from before "
                   "the upgrade)";
        if (sha256_hex(file->second->text) != past.second)
            return "this database was made by another receiptd: its migration " + past.first +
                   " is not this program's; use the receiptd that made it, or set database.url to a new "
                   "database, "
                   "which `receiptd backfill` fills";
    }
    // An older program would put back functions under daemons that need the newer ones.
    if (stored.schema_checksum != schema_checksum && is_later(stored.applied_by))
        return "the database's views and functions are newer than this program: they are those of " +
               stored.applied_by + ", and this is " + kThisProgram +
               "; use that receiptd or a newer one (to go back to this one, restore a backup from before the "
               "upgrade)";
    return {};
}

MigrationStatus status_of(pqxx::transaction_base& tx, const SchemaFiles& files) {
    const auto by_version = numbered(files.migrations);
    const auto stored = read_stored(tx);
    MigrationStatus status;
    status.applied = stored.applied;
    const auto ours = checksum_of(files.schema);
    status.problem = problem_of(stored, by_version, ours);
    for (const auto& [version, file] : by_version)
        if (stored.checksums.count(version) == 0) status.pending.push_back(file->name);
    status.schema_current = stored.schema_checksum == ours;
    const auto rights = tx.exec(
        "SELECT current_user, pg_get_userbyid(coalesce(c.relowner, d.datdba)), "
        "CASE WHEN c.oid IS NULL THEN coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) "
        "ELSE pg_has_role(c.relowner, 'USAGE') END "
        "FROM (SELECT to_regclass('schema_migrations') AS oid) t LEFT JOIN pg_class c USING (oid), "
        "pg_database d WHERE d.datname = current_database()")[0];
    status.user = rights[0].as<std::string>();
    status.owner = rights[1].as<std::string>();
    status.user_owns = rights[2].as<bool>();
    return status;
}

std::string MigrationStatus::outdated() const {
    if (applied.empty()) return "this database has no tables of receiptd";
    if (pending.empty()) return "the database's views, functions and rights are not those of this program";
    return "the database's schema is older than this program: it has " + applied.back().name + ", and " +
           pending.back() + " is needed";
}

std::string MigrationStatus::refusal() const {
    if (!problem.empty()) return problem;
    if (applied.empty()) return outdated() + ": run `receiptd migrate` (and check database.url)";
    return current() ? std::string() : outdated() + ": run `receiptd migrate`";
}

std::string newer_schema(pqxx::transaction_base& tx) {
    const auto newest = tx.exec(
        "SELECT name, applied_by FROM schema_migrations, schema_objects ORDER BY version DESC LIMIT 1");
    if (newest.empty()) return {};
    const auto name = newest[0][0].as<std::string>(), program = newest[0][1].as<std::string>();
    if (name > migration_files().back().name) return name + by_whom(program);
    return is_later(program) ? "its views and functions" + by_whom(program) : std::string();
}

}  // namespace receiptd::storage
