#include "storage/migrate.hpp"

#include "base/log.hpp"
#include "metrics/registry.hpp"
#include "metrics/storage_series.hpp"
#include "storage/daemons.hpp"
#include "storage/errors.hpp"
#include "storage/fault.hpp"
#include "storage/in_the_way.hpp"
#include "storage/session.hpp"

#include <functional>
#include <thread>

namespace receiptd::storage {
namespace {

constexpr std::chrono::seconds kPatience{30};
constexpr const char* kTableExists = "42P07";
constexpr const char* kNotUnique =
    "23505";                             // in PostgreSQL's own tables, where another session makes the same
constexpr unsigned kTurnToldEvery = 15;  // waits

void refuse_shadowing(pqxx::transaction_base& tx) {
    const auto found = shadowing_objects(tx);
    if (!found.empty())
        throw StorageError(
            "in the schema of receiptd's tables are objects with the names of PostgreSQL's own ones, which "
            "would be called with our rights: " +
            found + "; drop or rename them");
}

// Other people's objects that the error names, with what makes them again.
std::string words_of(const pqxx::sql_error& error, const std::vector<ForeignObject>& foreign) {
    const std::string text = error.what();
    std::string objects, ddl;
    for (const auto& object : foreign) {
        if (text.find(object.name) == std::string::npos) continue;
        objects += (objects.empty() ? "" : ", ") + object.in_words;
        ddl += '\n' + object.ddl;
    }
    if (objects.empty()) return text.substr(0, text.find("\nHINT:"));
    return objects +
           " is in the way. Keep the definitions below, drop these objects, run `receiptd migrate`, and make "
           "them again; columns may have other names then:" +
           ddl;
}

class Migrator {
    using Change = std::function<void(pqxx::work&)>;

    template <class Work>
    auto read(Work work) {
        pqxx::work tx(connection_);
        return work(tx);
    }

public:
    Migrator(pqxx::connection& connection, const SchemaFiles& files, std::string readonly_role,
             const MigrationPatience& patience)
        : connection_(connection),
          files_(files),
          readonly_role_(std::move(readonly_role)),
          patience_(patience) {}

    std::vector<std::string> run() {
        prepare_session();
        before_ = read([this](pqxx::work& tx) { return usable(tx); });
        create_bookkeeping();
        std::vector<Change> changes;
        for (const auto& [version, file] : by_version_)
            if (before_.checksums.count(version) == 0)
                changes.push_back(
                    [this, number = version, at = file](pqxx::work& tx) { apply(tx, number, *at); });
        const bool is_outdated = !changes.empty() || before_.schema_checksum != checksum_of(files_.schema);
        if (is_outdated)
            changes.push_back([this](pqxx::work& tx) { apply_schema(tx); });
        else
            changes.push_back([this](pqxx::work& tx) { refresh_rights(tx); });
        if (is_outdated && !before_.applied.empty()) tell_of_daemons();
        foreign_ = read([this](pqxx::work& tx) { return foreign_objects(tx, files_.schema); });
        make(std::move(changes));
        if (!is_outdated) applied_.clear();
        return applied_;
    }

private:
    // One schema, and nothing of the session's temporary objects before it: functions keep this path.
    void prepare_session() {
        pqxx::nontransaction tx(connection_);
        tx.exec("SET statement_timeout = 0");
        const auto home = tx.exec(
            "SELECT quote_ident(current_schema()), current_user, current_database(), "
            "coalesce(has_schema_privilege(current_schema(), 'CREATE'), false), "
            "pg_encoding_to_char(encoding) FROM pg_database "
            "WHERE datname = current_database()")[0];
        if (home[4].as<std::string>() != "UTF8")
            throw StorageError("database \"" + home[2].as<std::string>() + "\" has the encoding " +
                               home[4].as<std::string>() + "; create it with ENCODING 'UTF8'");
        if (home[0].is_null() || !home[3].as<bool>())
            throw StorageError("user \"" + home[1].as<std::string>() +
                               "\" may not create tables in database \"" + home[2].as<std::string>() +
                               "\": run `receiptd migrate` as the database's owner");
        refuse_shadowing(tx);
        if (const auto advice = advice_on_create_right(tx); !advice.empty())
            log::warn(
                "every user of the database may put functions into the schema of receiptd's tables, and so "
                "have them run with receiptd's rights",
                {{"to_forbid_it", advice}});
        tx.exec("SET search_path = " + home[0].as<std::string>() + ", pg_temp");
        shim::query(tx, "SELECT set_config('receiptd.readonly_role', $1, false)", readonly_role_);
        tx.exec("SET lock_timeout = " + std::to_string(patience_.lock.count()));
    }

    // Reads the stored schema; throws unless this program may go on from there.
    StoredSchema usable(pqxx::work& tx) const {
        auto stored = read_stored(tx);
        if (const auto problem = problem_of(stored, by_version_, checksum_of(files_.schema));
            !problem.empty())
            throw StorageError(problem);
        return stored;
    }

    void create_bookkeeping() {
        // Another migrator may make it at the same time: then it is there.
        try {
            pqxx::work tx(connection_);
            if (!table_exists(tx, "schema_migrations") || !table_exists(tx, "schema_objects"))
                tx.exec(
                    "CREATE TABLE schema_migrations (version int PRIMARY KEY, name text NOT NULL, checksum "
                    "text NOT "
                    "NULL, applied_at timestamptz NOT NULL DEFAULT now()); "
                    "CREATE TABLE schema_objects (only_row boolean PRIMARY KEY DEFAULT true CHECK "
                    "(only_row), "
                    "checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now(), applied_by text "
                    "NOT NULL, "
                    "readonly_role text NOT NULL)");
            tx.commit();
        } catch (const pqxx::sql_error& e) {
            const auto sqlstate = shim::sqlstate_of(e);
            if (sqlstate != kTableExists && sqlstate != kNotUnique) throw;
        }
    }

    void tell_of_daemons() {
        read([](pqxx::work& tx) {
            if (!table_exists(tx, "daemons")) return;
            for (const auto& row : tx.exec("SELECT place FROM daemons WHERE " + kAlive + " ORDER BY 1"))
                log::warn(
                    "a daemon runs on this database with the schema as it was; restart it with this version",
                    {{"place", row[0].as<std::string>()}});
        });
    }

    void make(std::vector<Change> changes) {
        if (foreign_.empty()) {
            for (const auto& change : changes) patiently(change);
            return;
        }
        patiently([&](pqxx::work& tx) {
            for (const auto& change : changes) change(tx);
        });
    }

    // One migrator makes a change at a time, and goes on from what the others have made. Only the owner of
    // the tables can hold this lock; readers do not conflict with it.
    void patiently(const Change& change) {
        for (unsigned attempt = 1;;) {
            const auto applied_before = applied_.size();
            bool is_our_turn = false;
            try {
                pqxx::work tx(connection_);
                tx.exec("LOCK TABLE schema_migrations IN EXCLUSIVE MODE");
                is_our_turn = true;
                stored_ = usable(tx);
                change(tx);
                tx.commit();
                return;
            } catch (const pqxx::sql_error& e) {
                applied_.resize(applied_before);
                const auto sqlstate = shim::sqlstate_of(e);
                if (sqlstate == kNoLockInTime) {
                    if (is_our_turn)
                        wait_for_others(attempt++);
                    else
                        wait_for_turn();
                    continue;
                }
                const auto kind = fault_kind(sqlstate);
                if (kind == FaultKind::outage || kind == FaultKind::retry) throw;
                throw StorageError(at_ + " failed, nothing of it was applied: " + words_of(e, foreign_));
            }
        }
    }

    void wait_for_turn() {
        if (times_waited_++ % kTurnToldEvery == 0)
            log::info("another receiptd is changing the schema; waiting for it",
                      {{"transactions", read([](pqxx::work& tx) { return lock_holders(tx); })}});
    }

    void wait_for_others(unsigned attempt) {
        const auto holders = read([](pqxx::work& tx) { return lock_holders(tx); });
        if (attempt >= patience_.attempts)
            throw StorageError(
                at_ + " could not be applied, because transactions on its tables do not end: " +
                (holders.empty() ? "pg_locks and pg_prepared_xacts show them" : holders) +
                "; end them (SELECT pg_terminate_backend(process)) or run `receiptd migrate` later");
        log::warn("a change of the schema waits for transactions on its tables; tried again",
                  {{"file", at_}, {"attempt", attempt}, {"transactions", holders}});
        std::this_thread::sleep_for(patience_.pause);
    }

    void apply(pqxx::work& tx, int version, const SqlFile& file) {
        if (stored_.checksums.contains(version)) return;
        execute(tx, file);
        shim::query(tx, "INSERT INTO schema_migrations (version, name, checksum) VALUES ($1, $2, $3)",
                    version, file.name, sha256_hex(file.text));
        applied_.push_back(file.name);
    }

    void apply_schema(pqxx::work& tx) {
        const auto ours = checksum_of(files_.schema);
        if (before_.schema_checksum != ours && stored_.schema_checksum == ours)
            return;  // another one has done it
        for (const auto& file : files_.schema) execute(tx, file);
        shim::query(tx,
                    "INSERT INTO schema_objects (checksum, applied_by, readonly_role) VALUES ($1, $2, $3) "
                    "ON CONFLICT (only_row) DO UPDATE SET checksum = excluded.checksum, applied_at = now(), "
                    "applied_by = excluded.applied_by, readonly_role = excluded.readonly_role",
                    ours, std::string("receiptd " RECEIPTD_VERSION), readonly_role_);
        applied_.push_back("schema/");
    }

    // Roles may have been made, or the readers' role renamed, since the last run.
    void refresh_rights(pqxx::work& tx) {
        for (const auto& file : files_.schema)
            if (file.name.find("grants") != std::string::npos) execute(tx, file);
        shim::query(tx,
                    "UPDATE schema_objects SET readonly_role = $1 WHERE readonly_role IS DISTINCT FROM $1",
                    readonly_role_);
    }

    void execute(pqxx::work& tx, const SqlFile& file) {
        at_ = file.name;
        tx.exec(file.text);
    }

    pqxx::connection& connection_;
    const SchemaFiles& files_;
    std::string readonly_role_;
    MigrationPatience patience_;
    std::map<int, const SqlFile*> by_version_ = numbered(files_.migrations);
    StoredSchema before_;  // when this began
    StoredSchema stored_;  // when the change began that is being made
    unsigned times_waited_ = 0;
    std::vector<ForeignObject> foreign_;
    std::vector<std::string> applied_;
    std::string at_ = "schema_migrations";  // the file that is being applied
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
                                 const SchemaFiles& files, const MigrationPatience& patience) {
    return with_session(database, [&](pqxx::connection& connection) {
        return Migrator(connection, files, readonly_role, patience).run();
    });
}

std::vector<Unfinished> finish_migrations(const DatabaseOptions& database) {
    return with_session(database, [](pqxx::connection& connection) {
        Finisher().round(connection, [] { return true; });
        pqxx::work tx(connection);
        return unfinished(tx);
    });
}

MigrationPlan migration_plan(const DatabaseOptions& database, const SchemaFiles& files) {
    return with_session(database, [&](pqxx::connection& connection) {
        pqxx::work tx(connection);
        return plan_of(tx, files);
    });
}

MigrationStatus migrate_status(const DatabaseOptions& database, const SchemaFiles& files) {
    return with_session(database, [&](pqxx::connection& connection) {
        pqxx::work tx(connection);
        return status_of(tx, files);
    });
}

std::string migrate_command(const DatabaseOptions& database, const std::string& owner,
                            const std::string& config_file) {
    return "receiptd migrate" + (config_file.empty() ? std::string() : " --config " + config_file) +
           " --database-url '" + ConnectionString(database.url).url_of(owner) + "'";
}

void require_current_schema(pqxx::connection& connection) {
    pqxx::work tx(connection);
    if (const auto refusal = status_of(tx, {}).refusal(); !refusal.empty()) throw StorageError(refusal);
    refuse_shadowing(tx);
}

void require_current_schema(const DatabaseOptions& database) {
    with_session(database, [](pqxx::connection& connection) { require_current_schema(connection); });
}

}  // namespace receiptd::storage
