// What a database holds that nobody has used yet, and how to come back to it: rows are deleted, partitions
// dropped, sequences set back. Whether that was all is seen by a fingerprint of everything that a test could
// leave.
#pragma once

#include "support/postgres.hpp"

#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace receiptd::test {

// The newest transaction that wrote a row of a catalogue tells whether any row was added or changed, the
// number of rows whether any was removed. Where an index leads to them, only rows of what is not PostgreSQL's
// own are looked at; of functions, types and schemas all, as tests may well make their own versions of
// PostgreSQL's. pg_class is compared by content instead: TRUNCATE gives a table another file.
inline const std::string kCatalogueMarks = R"(
SELECT string_agg(format('SELECT %L, count(*), age(''3''::xid) - least(min(age(xmin)), age(''3''::xid)) FROM %s%s',
    relname, c.oid::regclass, CASE WHEN relname = 'pg_class' THEN ' WHERE oid < 16384'
        WHEN relname NOT IN ('pg_proc', 'pg_type', 'pg_namespace') THEN ' WHERE ' || of_object || ' >= 16384'
        ELSE '' END), ' UNION ALL ')
FROM pg_class c LEFT JOIN LATERAL (
    SELECT attname AS of_object FROM pg_index i JOIN pg_attribute a ON a.attrelid = indrelid AND attnum = indkey[0]
    WHERE indrelid = c.oid AND atttypid = 'oid'::regtype AND attname IN ('oid', 'objoid', 'attrelid', 'starelid')
    LIMIT 1) key ON true
WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind = 'r' AND NOT relisshared)";

// TRUNCATE also leaves other estimates of empty indexes, which the planner does not use.
inline const std::string kRelations = R"(
SELECT 'relations', count(*), coalesce(sum(hashtextextended(ROW(oid, relname, relnamespace, reltype, reloftype,
    relowner, relam, reltablespace, CASE WHEN relkind <> 'i' THEN relpages END,
    CASE WHEN relkind <> 'i' THEN reltuples END, reltoastrelid, relhasindex, relpersistence, relkind, relnatts,
    relchecks, relhasrules, relhastriggers, relhassubclass, relrowsecurity, relforcerowsecurity, relispopulated,
    relreplident, relispartition, relrewrite, relacl, reloptions)::text, 0)), 0) FROM pg_class WHERE oid >= 16384)";

// The cluster keeps these: what belongs to this database, and roles that are named after it.
inline const std::string kSharedMarks = R"(
SELECT 'settings', count(*), coalesce(sum(hashtextextended(ROW(setrole, setconfig)::text, 0)), 0)
FROM pg_db_role_setting WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
UNION ALL SELECT 'rights of roles', count(*), coalesce(sum(hashtextextended(s::text, 0)), 0)
FROM pg_shdepend s WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
UNION ALL SELECT 'database', count(*), sum(hashtextextended(ROW(datdba, datacl, datconnlimit, datallowconn,
    datistemplate)::text, 0)) FROM pg_database WHERE datname = current_database()
UNION ALL SELECT 'roles', count(*), 0 FROM pg_roles WHERE rolname LIKE '%' || current_database())";

inline const std::string kTables = R"(
SELECT oid::regclass FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition AND oid >= 16384
AND relnamespace::regnamespace::text NOT LIKE 'pg\_%' ORDER BY 1)";

// The planner takes a table that was never vacuumed for ten pages at least: up to then it sees no difference
// between deleted rows and none.
inline const std::string kUnseenBytes = std::to_string(9 * 8192);

class CleanState {
public:
    // What the database holds now is clean.
    explicit CleanState(const std::string& url) : connection_(quiet_connection(url)) {
        ask("SET session_replication_role = replica");  // deletes without triggers and keys
        partitions_ = value("SELECT coalesce(array_agg(oid), '{}') FROM pg_class WHERE relispartition");
        for (const auto& row : ask(kTables)) add_table(row[0].c_str());
        for (const auto& row : ask("SELECT oid::regclass FROM pg_class WHERE relkind = 'S' AND oid >= 16384"))
            add_sequence(row[0].c_str());
        const auto add = [](std::string& all, const std::string& part) {
            all += (all.empty() ? "" : " UNION ALL ") + part;
        };
        for (const auto& part : {value(kCatalogueMarks), kRelations, kSharedMarks}) add(marks_, part);
        connection_->prepare("marks", marks_);
        connection_->prepare("used", used_);
        connection_->prepare("counted", counted_);
        clean_ = fingerprint();
    }

    // False: something is left that is not known here.
    bool restore() try {
        end_other_sessions();
        drop_new_partitions();
        empty_used_tables();
        for (auto& table : seeded_) refill(table);
        set_sequences_back();
        return fingerprint() == clean_;
    } catch (const std::exception&) {
        return false;
    }

    // A line for each catalogue, and one for each thing beside them. Rows of tables are not in it.
    std::string fingerprint() { return all_rows(pqxx::nontransaction(*connection_).exec_prepared("marks")); }
    pqxx::connection& connection() { return *connection_; }

private:
    struct Seeded {
        std::string name, rows, json;
    };

    pqxx::result ask(const std::string& sql) { return pqxx::nontransaction(*connection_).exec(sql); }
    std::string value(const std::string& sql) { return one_value(ask(sql)); }

    void add_table(const std::string& name) {
        if (value("SELECT EXISTS (SELECT FROM " + name + ")") == "t") {
            seeded_.push_back({name, content(name), value("SELECT json_agg(t) FROM " + name + " t")});
            return;
        }
        used_ += (used_.empty() ? "" : " UNION ALL ") +
                 ("SELECT '" + name + "', large FROM (SELECT (SELECT ") +
                 "coalesce(max(pg_relation_size(relid)), 0) FROM pg_partition_tree('" + name + "')) + " +
                 "pg_relation_size('" + name + "') > " + kUnseenBytes +
                 " AS large) size WHERE large OR EXISTS " + "(SELECT FROM " + name + ")";
    }
    void add_sequence(const std::string& name) {
        counted_ += (counted_.empty() ? "" : " UNION ALL ") + ("SELECT '" + name) +
                    "', last_value, is_called FROM " + name + " WHERE ROW(last_value, is_called)::text <> '" +
                    value("SELECT ROW(last_value, is_called) FROM " + name) + "'";
        first_values_.emplace_back(name, value("SELECT last_value || ', ' || is_called FROM " + name));
    }
    std::string content(const std::string& name) {
        return value("SELECT string_agg(t::text, E'\\n' ORDER BY t::text) FROM " + name + " t");
    }

    // Such as a statement that was given up.
    void end_other_sessions() {
        const std::string others =
            "FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend' "
            "AND "
            "pid <> pg_backend_pid() AND application_name <> '" +
            kSessionOfTest + "'";
        while (!ask("SELECT pg_terminate_backend(pid) " + others).empty())
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    void drop_new_partitions() {
        const auto made = value(
            "SELECT string_agg(oid::regclass::text, ', ') FROM pg_class WHERE relispartition AND relkind = "
            "'r' "
            "AND oid <> ALL ('" +
            partitions_ + "')");
        if (!made.empty()) ask("DROP TABLE " + made);
    }
    void empty_used_tables() {
        std::string sql;
        for (const auto& row : pqxx::nontransaction(*connection_).exec_prepared("used"))
            sql += (row[1].as<bool>() ? "TRUNCATE " : "DELETE FROM ") + row[0].as<std::string>() +
                   (row[1].as<bool>() ? " CASCADE; " : "; ");
        if (!sql.empty()) ask(sql);
    }
    void refill(const Seeded& table) {
        if (content(table.name) == table.rows) return;
        pqxx::work tx(*connection_);
        tx.exec("DELETE FROM " + table.name);
        tx.exec("INSERT INTO " + table.name +
                " OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::" + table.name + ", " +
                tx.quote(table.json) + ")");
        tx.commit();
        if (content(table.name) != table.rows) throw std::runtime_error(table.name + " cannot be refilled");
    }
    void set_sequences_back() {
        for (const auto& row : pqxx::nontransaction(*connection_).exec_prepared("counted"))
            for (const auto& [name, first] : first_values_)
                if (name == row[0].c_str()) ask("SELECT setval('" + name + "', " + first + ")");
    }

    std::unique_ptr<pqxx::connection> connection_;
    std::string partitions_, marks_, used_, counted_, clean_;
    std::vector<Seeded> seeded_;
    std::vector<std::pair<std::string, std::string>> first_values_;
};

}  // namespace receiptd::test
