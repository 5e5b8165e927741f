// Databases at this program's schema, copied from one that was migrated: a copy takes a tenth of a migration.
#pragma once

#include "storage/migrate.hpp"
#include "support/postgres.hpp"
#include "support/shared_database.hpp"

#include <memory>
#include <string>

namespace receiptd::test {

inline const std::string kReadonlyRole = "receiptd_readonly";

// Its name tells its content, since a cluster may outlive a change of migrations/ or schema/. Scenarios use
// the same one (tests/scenario/databases.py).
inline std::string template_name() {
    std::string all;
    const storage::SchemaFiles files;
    for (const auto* list : {&files.migrations, &files.schema})
        for (const auto& file : *list) all += file.name + '\n' + file.text + '\n';
    return "migrated_" + storage::sha256_hex(all).substr(0, 16);
}

// Makes a template unless it is there. Several processes may ask at once: the first makes it, the others
// wait. Nobody may connect to it, because PostgreSQL refuses to copy a database that somebody uses.
template <class Fill>
void make_template(const std::string& maintenance_url, const std::string& name, const std::string& original,
                   Fill fill) {
    auto connection = storage::shim::connect(maintenance_url);
    pqxx::nontransaction session(*connection);
    session.exec("SELECT pg_advisory_lock(hashtext('" + name + "'))");  // until the connection ends
    if (!session.exec("SELECT 1 FROM pg_database WHERE datistemplate AND datname = '" + name + "'").empty())
        return;
    session.exec("DROP DATABASE IF EXISTS " + name);  // somebody died while making it
    session.exec("CREATE DATABASE " + name + " TEMPLATE " + original + " STRATEGY file_copy");
    fill(url_of(maintenance_url, name));
    session.exec("ALTER DATABASE " + name + " IS_TEMPLATE true ALLOW_CONNECTIONS false");
}

inline std::string migrated_template(const std::string& maintenance_url) {
    const auto name = template_name();
    make_template(maintenance_url, name, "template1", [](const std::string& url) {
        storage::migrate({base::Secret(url), std::chrono::seconds(30), {}}, kReadonlyRole);
    });
    return name;
}

// Most tests commit blocks of one day (row_batches.hpp); its partitions cost as much as a copy.
inline std::string template_of_first_day(const std::string& maintenance_url) {
    const auto original = migrated_template(maintenance_url), name = original + "_20221019";
    make_template(maintenance_url, name, original, [](const std::string& url) {
        run_sql(
            url,
            "INSERT INTO chain_identity (network, scope, partition_width, created_by) "
            "VALUES ('none', 'none', 'day', 'tests'); SELECT make_partitions('2022-10-19', '2022-10-19'); "
            "DELETE FROM chain_identity");
    });
    return name;
}

// A copy lacks the settings that were made for its template by ALTER DATABASE … SET.
inline std::unique_ptr<FreshDatabase> copy_of(const std::string& maintenance_url,
                                              const std::string& original) {
    auto made = std::make_unique<FreshDatabase>(maintenance_url, original);
    run_sql(
        maintenance_url,
        "DO $$ DECLARE setting text; BEGIN FOR setting IN SELECT unnest(setconfig) FROM pg_db_role_setting s "
        "JOIN pg_database d ON d.oid = s.setdatabase WHERE s.setrole = 0 AND d.datname = '" +
            template_name() + "' LOOP EXECUTE format('ALTER DATABASE " + made->name() +
            " SET %I = %L', split_part(setting, '=', 1), substr(setting, strpos(setting, '=') + 1)); "
            "END LOOP; END $$");
    return made;
}

// With the partitions of the tests' day. What a test leaves is put back for the next one.
class MigratedTest : public DatabaseTest {
protected:
    LentDatabase lend_database(const std::string& maintenance_url) override {
        return SharedDatabase::lend([&] {
            static const std::string original = template_of_first_day(maintenance_url);
            return copy_of(maintenance_url, original);
        });
    }
};

// For tests of partitions, and for those that change so much that nothing could be put back.
template <class Fixture>
class WithOwnDatabase : public Fixture {
protected:
    LentDatabase lend_database(const std::string& maintenance_url) override {
        static const std::string original = migrated_template(maintenance_url);
        return not_shared(copy_of(maintenance_url, original));
    }
};

}  // namespace receiptd::test
