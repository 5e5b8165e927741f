#include "storage/database_id.hpp"

#include "storage/schema_state.hpp"

#include <optional>

namespace receiptd::storage {
namespace {

constexpr std::size_t kNameDigits = 32;

// Not every service lets its users ask; then the oid tells databases apart.
std::optional<std::string> system_identifier(pqxx::transaction_base& tx) {
    const auto may = tx.exec(
        "SELECT coalesce(has_function_privilege(to_regprocedure('pg_catalog.pg_control_system()'), "
        "'EXECUTE'), false)");
    if (!may[0][0].as<bool>()) return std::nullopt;
    return tx.exec("SELECT system_identifier FROM pg_catalog.pg_control_system()")[0][0].as<std::string>();
}

// `id`: an SQL expression. Places the id at this server and database.
std::string write(pqxx::transaction_base& tx, const std::string& id) {
    const auto system = system_identifier(tx);
    return shim::query(
               tx,
               "INSERT INTO database_identity AS d (database_id, system_identifier, database_oid) "
               "SELECT gen_random_uuid(), nullif($1, ''), oid FROM pg_database WHERE datname = "
               "current_database() "
               "ON CONFLICT (only_row) DO UPDATE SET database_id = " +
                   id +
                   ", system_identifier = excluded.system_identifier, database_oid = excluded.database_oid, "
                   "since = CASE WHEN d.database_id = " +
                   id + " THEN d.since ELSE now() END RETURNING database_id",
               system.value_or(""))[0][0]
        .as<std::string>();
}

std::string stored_id(pqxx::transaction_base& tx) {
    const auto rows = tx.exec("SELECT database_id FROM database_identity FOR UPDATE");
    return rows.empty() ? std::string() : rows[0][0].as<std::string>();
}

DatabaseId written(pqxx::transaction_base& tx, const std::string& before, DatabaseId::Is is) {
    DatabaseId id;
    id.is = before.empty() ? DatabaseId::Is::born : is;
    id.id = write(tx, is == DatabaseId::Is::renewed ? "excluded.database_id" : "d.database_id");
    if (id.is == DatabaseId::Is::renewed) id.before = before;
    return id;
}

bool is_where_it_was(pqxx::transaction_base& tx) {
    const auto system = system_identifier(tx);
    const auto rows =
        shim::query(tx,
                    "SELECT database_oid = (SELECT oid FROM pg_database WHERE datname = current_database()) "
                    "AND coalesce(system_identifier = nullif($1, ''), true) FROM database_identity",
                    system.value_or(""));
    return !rows.empty() && rows[0][0].as<bool>();
}

}  // namespace

Origin origin(pqxx::transaction_base& tx) {
    const auto row = tx.exec(
        "SELECT coalesce((SELECT network FROM chain_identity), ''), "
        "coalesce((SELECT database_id::text FROM database_identity), '')")[0];
    return {row[0].as<std::string>(), row[1].as<std::string>()};
}

// Lengths keep the parts apart.
std::string name_of(const Origin& origin, const std::vector<std::string>& parts) {
    std::string all;
    const auto add = [&](const std::string& part) { all += std::to_string(part.size()) + ":" + part; };
    add(origin.network);
    add(origin.database_id);
    for (const auto& part : parts) add(part);
    return sha256_hex(all).substr(0, kNameDigits);
}

base::Task<DatabaseId> PgDatabaseIds::settle() {
    return lane_.transaction([](pqxx::work& tx) {
        const auto stored = stored_id(tx);
        return written(tx, stored, is_where_it_was(tx) ? DatabaseId::Is::kept : DatabaseId::Is::renewed);
    });
}

base::Task<DatabaseId> PgDatabaseIds::keep() {
    return lane_.transaction([](pqxx::work& tx) { return written(tx, stored_id(tx), DatabaseId::Is::kept); });
}

base::Task<DatabaseId> PgDatabaseIds::renew() {
    return lane_.transaction(
        [](pqxx::work& tx) { return written(tx, stored_id(tx), DatabaseId::Is::renewed); });
}

}  // namespace receiptd::storage
