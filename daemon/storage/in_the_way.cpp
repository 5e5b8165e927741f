#include "storage/in_the_way.hpp"

#include "storage/sql_names.hpp"

namespace receiptd::storage {
namespace {

std::vector<std::string> names_made_by(const std::vector<SqlFile>& schema) {
    std::vector<std::string> all;
    for (const auto& file : schema) {
        for (const std::string_view made : {"VIEW ", "FUNCTION "}) {
            const auto names = names_after(made, file.text);
            all.insert(all.end(), names.begin(), names.end());
        }
    }
    return all;
}

// Views are found by their rules; functions only where their body is parsed when they are made.
constexpr const char* kForeignObjects =
    "WITH RECURSIVE home AS (SELECT oid FROM pg_namespace WHERE nspname IN (current_schema(), "
    "    'receiptd_partitions')), "
    "ours AS (SELECT 'pg_class'::regclass::oid AS class, c.oid AS object FROM pg_class c, home "
    "    WHERE c.relnamespace = home.oid AND (c.relkind IN ('r', 'p') OR c.relname = ANY ($1::text[])) "
    "  UNION ALL SELECT 'pg_type'::regclass::oid, c.reltype FROM pg_class c, home "
    "    WHERE c.relnamespace = home.oid AND (c.relkind IN ('r', 'p') OR c.relname = ANY ($1::text[])) "
    "  UNION ALL SELECT 'pg_proc'::regclass::oid, p.oid FROM pg_proc p, home "
    "    WHERE p.pronamespace = home.oid AND p.proname = ANY ($1::text[])), "
    "edges AS (SELECT 'pg_class'::regclass::oid AS class, r.ev_class AS object, d.refclassid, d.refobjid "
    "    FROM pg_depend d JOIN pg_rewrite r ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid "
    "    WHERE d.deptype = 'n' AND d.refobjid <> r.ev_class "
    "  UNION ALL SELECT d.classid, d.objid, d.refclassid, d.refobjid FROM pg_depend d "
    "    WHERE d.deptype = 'n' AND d.classid IN ('pg_proc'::regclass, 'pg_constraint'::regclass)), "
    "found AS (SELECT e.class, e.object FROM edges e JOIN ours o ON o.class = e.refclassid AND o.object = "
    "e.refobjid "
    "    WHERE (e.class, e.object) NOT IN (SELECT * FROM ours) "
    "  UNION SELECT e.class, e.object FROM edges e JOIN found f ON f.class = e.refclassid AND f.object = "
    "e.refobjid) "
    "SELECT c.oid::regclass::text, CASE c.relkind WHEN 'm' THEN 'materialized view ' ELSE 'view ' END "
    "    || c.oid::regclass || ' of ' || pg_get_userbyid(c.relowner), "
    "  format('CREATE %s %s AS %s', CASE c.relkind WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'VIEW' END, "
    "    c.oid::regclass, pg_get_viewdef(c.oid)), c.oid "
    "FROM found f JOIN pg_class c ON f.class = 'pg_class'::regclass AND c.oid = f.object AND c.relkind IN "
    "('v', 'm') "
    "UNION ALL SELECT p.oid::regprocedure::text, 'function ' || p.oid::regprocedure || ' of ' || "
    "pg_get_userbyid(p.proowner), "
    "  pg_get_functiondef(p.oid) || ';', p.oid "
    "FROM found f JOIN pg_proc p ON f.class = 'pg_proc'::regclass AND p.oid = f.object "
    "UNION ALL SELECT k.conname::text, 'constraint ' || k.conname || ' on ' || k.conrelid::regclass, "
    "  format('ALTER TABLE %s ADD CONSTRAINT %I %s;', k.conrelid::regclass, k.conname, "
    "    pg_get_constraintdef(k.oid)), k.oid "
    "FROM found f JOIN pg_constraint k ON f.class = 'pg_constraint'::regclass AND k.oid = f.object "
    "WHERE k.contype = 'f' AND k.conrelid NOT IN (SELECT object FROM ours) "
    "ORDER BY 4";  // as they were made: what is built on another one comes later

// Owners of the database, of our tables, or of everything are trusted.
constexpr const char* kShadowing =
    "WITH home AS (SELECT oid FROM pg_namespace WHERE nspname = current_schema()), "
    "made AS (SELECT 'function ' || p.oid::regprocedure AS name, p.proowner AS owner FROM pg_proc p, home "
    "    WHERE p.pronamespace = home.oid AND EXISTS (SELECT FROM pg_proc b "
    "      WHERE b.pronamespace = 'pg_catalog'::regnamespace AND b.proname = p.proname) "
    "  UNION ALL SELECT 'operator ' || o.oid::regoperator, o.oprowner FROM pg_operator o, home "
    "    WHERE o.oprnamespace = home.oid AND EXISTS (SELECT FROM pg_operator b "
    "      WHERE b.oprnamespace = 'pg_catalog'::regnamespace AND b.oprname = o.oprname)) "
    "SELECT coalesce(string_agg(name || ' of ' || pg_get_userbyid(owner), ', ' ORDER BY name), '') FROM made "
    "WHERE owner <> (SELECT oid FROM pg_roles WHERE rolname = current_user) AND NOT EXISTS (SELECT FROM "
    "pg_roles WHERE oid = owner AND "
    "rolsuper) "
    "  AND owner <> (SELECT datdba FROM pg_database WHERE datname = current_database()) "
    "  AND owner <> coalesce((SELECT relowner FROM pg_class WHERE oid = to_regclass('schema_migrations')), "
    "0)";

// The sessions of this user that follow the chain: they end by themselves.
const std::string kOurs =
    "(a.usesysid = (SELECT usesysid FROM pg_stat_activity WHERE pid = pg_backend_pid()) "
    "AND a.application_name = current_setting('application_name'))";

// In words, the longest transactions first. Of other users' sessions only some columns are visible.
std::string sessions(pqxx::transaction_base& tx, const std::string& which, unsigned most = 5) {
    return tx
        .exec(
            "SELECT coalesce(string_agg(words, '; '), '') FROM (SELECT format('process %s of %s (%s)%s', "
            "a.pid, "
            "a.usename, coalesce(nullif(a.application_name, ''), 'unnamed'), ', in a transaction since ' || "
            "date_trunc('second', a.xact_start)) AS words FROM pg_stat_activity a WHERE " +
            which + " ORDER BY age(a.backend_xid) DESC NULLS LAST, a.xact_start, a.pid LIMIT " +
            std::to_string(most) + ") AS oldest")[0][0]
        .as<std::string>();
}

const std::string kHoldsOurTables =
    "a.datname = current_database() AND a.pid <> pg_backend_pid() AND EXISTS (SELECT FROM pg_locks l "
    "  JOIN pg_class c ON c.oid = l.relation WHERE l.pid = a.pid AND l.granted "
    "  AND c.relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN (current_schema(), "
    "    'receiptd_partitions'))) ";

// Finds this user's statements that have waited for seconds, and the processes for which they wait, unless
// these wait themselves.
const std::string kHeldUp =
    "WITH waiting AS MATERIALIZED (SELECT DISTINCT l.pid, a.query, l.waitstart FROM pg_locks l "
    "    JOIN pg_stat_activity a USING (pid) WHERE NOT l.granted AND a.datname = current_database() AND " +
    kOurs +
    "    AND l.waitstart < clock_timestamp() - interval '2 seconds'), "
    "holders AS MATERIALIZED (SELECT w.query, w.waitstart, holder FROM waiting w, "
    "unnest(pg_blocking_pids(w.pid)) AS holder "
    "  WHERE holder NOT IN (SELECT pid FROM waiting) "
    "    AND NOT EXISTS (SELECT FROM pg_stat_activity a WHERE a.pid = holder AND " +
    kOurs +
    ")) "
    "SELECT (SELECT CASE query WHEN '<insufficient privilege>' THEN 'a statement' ELSE left(query, 60) END "
    "    FROM holders ORDER BY waitstart LIMIT 1), "
    "  (SELECT string_agg(DISTINCT holder::text, ', ') FROM holders)";

}  // namespace

std::string lock_holders(pqxx::transaction_base& tx) { return sessions(tx, kHoldsOurTables); }

std::string readers_of_partitions(pqxx::transaction_base& tx) {
    return sessions(tx, kHoldsOurTables + "AND NOT " + kOurs);
}

std::string writers_of(pqxx::transaction_base& tx, const std::string& table) {
    const auto locks =
        "SELECT FROM pg_locks l WHERE l.granted AND l.mode = 'RowExclusiveLock' AND l.relation = '" + table +
        "'::regclass AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND "
        "l.pid ";
    if (!tx.exec(locks + "IS NULL").empty()) return "a prepared transaction (pg_prepared_xacts)";
    return sessions(tx, "a.pid <> pg_backend_pid() AND NOT " + kOurs + " AND EXISTS (" + locks + "= a.pid)");
}

std::string oldest_writer(pqxx::transaction_base& tx) {
    return sessions(tx, "a.backend_xid IS NOT NULL AND a.pid <> pg_backend_pid() AND NOT " + kOurs, 1);
}

std::optional<HeldUp> held_up(pqxx::transaction_base& tx) {
    const auto waiting = tx.exec(kHeldUp)[0];
    if (!waiting[0].is_null())
        return HeldUp{waiting[0].as<std::string>(),
                      sessions(tx, "a.pid IN (" + waiting[1].as<std::string>() + ")")};
    const auto wanted = tx.exec(
        "SELECT count(*) FROM wanted_watches WHERE tries > 0 AND created_at < now() - interval '2 seconds'")
                            [0][0];
    const auto watches = wanted.as<std::uint64_t>();
    if (watches == 0) return std::nullopt;
    auto holders = writers_of(tx, "watches");
    if (holders.empty()) return std::nullopt;  // they are over: the watches are made with the next try
    return HeldUp{std::to_string(watches) + " watches that rules ask for", std::move(holders)};
}

std::vector<ForeignObject> foreign_objects(pqxx::transaction_base& tx, const std::vector<SqlFile>& schema) {
    std::vector<ForeignObject> found;
    for (const auto& row : shim::query(tx, kForeignObjects, text_array(names_made_by(schema))))
        found.push_back({row[0].as<std::string>(), row[1].as<std::string>(), row[2].as<std::string>()});
    return found;
}

std::string shadowing_objects(pqxx::transaction_base& tx) {
    return tx.exec(kShadowing)[0][0].as<std::string>();
}

std::string advice_on_create_right(pqxx::transaction_base& tx) {
    return tx
        .exec(
            "SELECT CASE WHEN has_schema_privilege('public', current_schema(), 'CREATE') THEN "
            "format('REVOKE CREATE ON SCHEMA %I FROM PUBLIC', current_schema()) ELSE '' END")[0][0]
        .as<std::string>();
}

}  // namespace receiptd::storage
