// Databases at this program's schema, copied from one that was migrated: a copy takes a fifth of a migration.
#pragma once

#include "storage/migrate.hpp"
#include "support/postgres.hpp"

#include <functional>
#include <memory>
#include <string>

namespace receiptd::test {

inline const std::string kReadonlyRole = "receiptd_readonly";

// Its name tells its content, since a cluster may outlive a change of migrations/ or schema/.
inline std::string template_name() {
    std::string all;
    const storage::SchemaFiles files;
    for (const auto* list : {&files.migrations, &files.schema})
        for (const auto& file : *list) all += file.name + '\n' + file.text + '\n';
    return "migrated_" + std::to_string(std::hash<std::string>{}(all));
}

// Makes the template unless it is there. Several processes may ask at once: the first makes it, the others
// wait. Nobody may connect to it, because PostgreSQL refuses to copy a database that somebody uses.
inline std::string make_template(const std::string& maintenance_url) {
    const auto name = template_name();
    auto connection = storage::shim::connect(maintenance_url);
    pqxx::nontransaction session(*connection);
    session.exec("SELECT pg_advisory_lock(hashtext('" + name + "'))");  // until the connection ends
    if (!session.exec("SELECT 1 FROM pg_database WHERE datistemplate AND datname = '" + name + "'").empty())
        return name;
    session.exec("DROP DATABASE IF EXISTS " + name);  // somebody died while making it
    session.exec("CREATE DATABASE " + name);
    const storage::DatabaseOptions options{
        base::Secret(url_of(maintenance_url, name)), std::chrono::seconds(30), {}};
    storage::migrate(options, kReadonlyRole);
    session.exec("ALTER DATABASE " + name + " IS_TEMPLATE true ALLOW_CONNECTIONS false");
    return name;
}

// A copy lacks the settings that were made for its template by ALTER DATABASE … SET.
inline std::unique_ptr<FreshDatabase> make_migrated(const std::string& maintenance_url) {
    static const std::string original = make_template(maintenance_url);
    auto made = std::make_unique<FreshDatabase>(maintenance_url, original);
    run_sql(
        maintenance_url,
        "DO $$ DECLARE setting text; BEGIN FOR setting IN SELECT unnest(setconfig) FROM pg_db_role_setting s "
        "JOIN pg_database d ON d.oid = s.setdatabase WHERE s.setrole = 0 AND d.datname = '" +
            original + "' LOOP EXECUTE format('ALTER DATABASE " + made->name() +
            " SET %I = %L', split_part(setting, '=', 1), substr(setting, strpos(setting, '=') + 1)); "
            "END LOOP; END $$");
    return made;
}

class MigratedTest : public DatabaseTest {
protected:
    std::unique_ptr<FreshDatabase> make_database(const std::string& maintenance_url) override {
        return make_migrated(maintenance_url);
    }
};

}  // namespace receiptd::test
