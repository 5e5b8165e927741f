#include "store_test_support.hpp"

#include <gmock/gmock.h>

namespace receiptd::test {
namespace {

using storage::migrate;
using storage::migrate_status;
using storage::SchemaFiles;
using storage::StorageError;
using testing::HasSubstr;

class Migrate : public DatabaseTest {
protected:
    std::string problem_with(const SchemaFiles& files) {
        try {
            migrate(database().options(), "receiptd_readonly", files);
        } catch (const StorageError& e) {
            return e.what();
        }
        return "none";
    }
};

TEST_F(Migrate, BringsAnEmptyDatabaseToTheNewestSchema) {
    const auto before = migrate_status(database().options());
    EXPECT_TRUE(before.applied.empty());
    EXPECT_FALSE(before.current());

    const auto applied = migrate(database().options(), "receiptd_readonly");

    EXPECT_EQ(applied.front(), "0001_history.sql");
    EXPECT_EQ(applied.back(), "schema/");
    EXPECT_TRUE(migrate_status(database().options()).current());
    EXPECT_EQ(value("SELECT count(*) FROM gaps"), "0");
}

TEST_F(Migrate, DoesNothingTheSecondTime) {
    migrate(database().options(), "receiptd_readonly");
    EXPECT_TRUE(migrate(database().options(), "receiptd_readonly").empty());
}

TEST_F(Migrate, AppliesWhatANewerProgramBringsAndItsSchema) {
    migrate(database().options(), "receiptd_readonly");
    SchemaFiles newer;
    newer.migrations.push_back({std::string(newer.migrations.size() < 9 ? "000" : "00") +
                                    std::to_string(newer.migrations.size() + 1) + "_more.sql",
                                "CREATE TABLE more (id int)"});
    newer.schema.push_back({"99_more.sql", "CREATE OR REPLACE VIEW more_view AS SELECT id FROM more"});

    EXPECT_EQ(migrate_status(database().options(), newer).pending.size(), 1u);
    EXPECT_EQ(migrate(database().options(), "receiptd_readonly", newer).size(), 2u);
    EXPECT_TRUE(migrate_status(database().options(), newer).current());
    EXPECT_EQ(value("SELECT count(*) FROM more_view"), "0");
}

TEST_F(Migrate, RefusesAChangedPast) {
    migrate(database().options(), "receiptd_readonly");
    SchemaFiles changed;
    changed.migrations[0].text += "\n-- one more word\n";
    EXPECT_THAT(
        problem_with(changed),
        HasSubstr("this database was made by another receiptd: its migration 0001_history.sql is not this "
                  "program's; use the receiptd that made it, or set database.url to a new database, which "
                  "`receiptd backfill` fills"));
    EXPECT_THAT(migrate_status(database().options(), changed).problem, HasSubstr("0001_history.sql"));
}

TEST_F(Migrate, RefusesADatabaseNewerThanTheProgram) {
    migrate(database().options(), "receiptd_readonly");
    SchemaFiles older;
    older.migrations.pop_back();
    const std::string newest = SchemaFiles{}.migrations.back().name, before = older.migrations.back().name;
    EXPECT_THAT(problem_with(older),
                HasSubstr("newer than this program: it has " + newest + ", applied by receiptd "));
    EXPECT_THAT(problem_with(older),
                HasSubstr("knows no later migration than " + before + "; use that receiptd"));
}

TEST_F(Migrate, LeavesTheViewsAndFunctionsOfALaterVersion) {
    migrate(database().options(), "receiptd_readonly");
    execute("UPDATE schema_objects SET applied_by = 'receiptd 99.0.1', checksum = 'of that version'");
    EXPECT_THAT(problem_with({}),
                HasSubstr("views and functions are newer than this program: they are those of receiptd "
                          "99.0.1"));
    EXPECT_EQ(value("SELECT checksum FROM schema_objects"), "of that version");

    execute("UPDATE schema_objects SET applied_by = 'receiptd 0.0.9'");
    EXPECT_EQ(problem_with({}), "none");
    EXPECT_TRUE(migrate_status(database().options()).current());
}

TEST_F(Migrate, RefusesGapsAmongItsFilesAndInThePast) {
    SchemaFiles gap;
    gap.migrations.erase(gap.migrations.begin());
    EXPECT_THAT(problem_with(gap), HasSubstr("missing from this program"));

    migrate(database().options(), "receiptd_readonly");
    execute("DELETE FROM schema_migrations WHERE version = 1");
    EXPECT_THAT(problem_with({}), HasSubstr("lacks migration 1"));
}

TEST_F(Migrate, LeavesNothingOfAMigrationThatFails) {
    migrate(database().options(), "receiptd_readonly");
    SchemaFiles broken;
    const auto number = std::to_string(broken.migrations.size() + 1);
    broken.migrations.push_back({"000" + number + "_broken.sql", "CREATE TABLE half (id int); SELECT 1 / 0"});

    EXPECT_THAT(problem_with(broken), HasSubstr("_broken.sql failed, nothing of it was applied"));
    EXPECT_EQ(value("SELECT to_regclass('half')"), "");
    EXPECT_TRUE(migrate_status(database().options()).current());
}

TEST_F(Migrate, TwoAtOnceWaitForEachOther) {
    const auto options = database().options();
    auto other = std::async(std::launch::async, [&] { return migrate(options, "receiptd_readonly").size(); });
    const auto mine = migrate(options, "receiptd_readonly").size();
    const auto theirs = other.get();
    EXPECT_EQ(mine + theirs, storage::SchemaFiles().migrations.size() + 1) << "each file once";
    EXPECT_TRUE(migrate_status(options).current());
}

TEST_F(Migrate, TellsAUserWithoutRightsToBeTheOwner) {
    const auto role = "stranger_" + database().name();
    execute("CREATE ROLE " + role + " LOGIN PASSWORD 'hush-hush'");
    const storage::DatabaseOptions stranger{base::Secret(database().url_as(role + ":hush-hush")),
                                            std::chrono::seconds(30), std::chrono::seconds(5)};
    try {
        migrate(stranger, "receiptd_readonly");
        FAIL() << "migrated without rights";
    } catch (const StorageError& e) {
        EXPECT_THAT(e.what(), HasSubstr("as the database's owner"));
    }
    execute("DROP ROLE " + role);
}

TEST_F(Migrate, WorksForAnOwnerWhoMayNotCreateRoles) {
    const auto role = "owner_" + database().name();
    execute("CREATE ROLE " + role + " LOGIN PASSWORD 'hush-hush'; ALTER DATABASE " + database().name() +
            " OWNER TO " + role);
    const storage::DatabaseOptions owner{base::Secret(database().url_as(role + ":hush-hush")),
                                         std::chrono::seconds(30), std::chrono::seconds(5)};
    migrate(owner, "readers_of_" + database().name());
    EXPECT_TRUE(migrate_status(owner).current());
    execute("DROP OWNED BY " + role + " CASCADE; ALTER DATABASE " + database().name() +
            " OWNER TO CURRENT_USER; DROP ROLE " + role);
}

// Another owner of that schema could drop the partitions.
TEST_F(Migrate, NeedsASchemaForPartitionsThatItsUserOwns) {
    const auto role = "tenant_" + database().name();
    execute("CREATE ROLE " + role + " LOGIN PASSWORD 'hush-hush'; GRANT CREATE ON SCHEMA public TO " + role);
    const storage::DatabaseOptions tenant{base::Secret(database().url_as(role + ":hush-hush")),
                                          std::chrono::seconds(30), std::chrono::seconds(5)};
    const auto problem = [&]() -> std::string {
        try {
            migrate(tenant, "receiptd_readonly");
        } catch (const StorageError& e) {
            return e.what();
        }
        return "none";
    };
    const auto cure = "CREATE SCHEMA receiptd_partitions AUTHORIZATION " + role;
    EXPECT_THAT(problem(), HasSubstr(cure));
    execute("CREATE SCHEMA receiptd_partitions; GRANT ALL ON SCHEMA receiptd_partitions TO " + role);
    EXPECT_THAT(problem(), HasSubstr(cure)) << "somebody else has made it";
    execute("DROP SCHEMA receiptd_partitions; " + cure);
    EXPECT_EQ(problem(), "none");
    execute("DROP OWNED BY " + role + " CASCADE; DROP ROLE " + role);
}

TEST_F(Migrate, NeverShowsThePassword) {
    const std::string secret = "sehr-geheim";
    const storage::DatabaseOptions wrong{base::Secret(database().url_as("receiptd:" + secret)),
                                         std::chrono::seconds(30), std::chrono::seconds(5)};
    try {
        migrate(wrong, "receiptd_readonly");
        FAIL() << "connected with a wrong password";
    } catch (const StorageError& e) {
        EXPECT_THAT(e.what(), testing::Not(HasSubstr(secret)));
        EXPECT_THAT(e.what(), HasSubstr("check user and password in database.url"));
    }
}

TEST_F(Migrate, SaysWhenTheDatabaseDoesNotExist) {
    const storage::DatabaseOptions missing{base::Secret(url_of(database().url(), "no_such_database")),
                                           std::chrono::seconds(30), std::chrono::seconds(5)};
    try {
        migrate(missing, "receiptd_readonly");
        FAIL() << "migrated a database that does not exist";
    } catch (const StorageError& e) {
        EXPECT_THAT(e.what(), HasSubstr("create the database first"));
    }
}

// Objects that people built on receiptd's own.
class Foreign : public Migrate {
protected:
    void SetUp() override {
        Migrate::SetUp();
        if (IsSkipped()) return;
        migrate(database().options(), "receiptd_readonly");
        execute(
            "CREATE SCHEMA mine; CREATE VIEW mine.trees AS SELECT t.id, t.status FROM receipt_tree('x') t; "
            "CREATE VIEW mine.parts AS SELECT partition_name FROM partitions; "
            "CREATE VIEW mine.of_trees AS SELECT id FROM mine.trees; "
            "CREATE MATERIALIZED VIEW mine.refused AS SELECT finding_id FROM delegate_refusals; "
            "CREATE FUNCTION mine.newest() RETURNS bigint LANGUAGE sql BEGIN ATOMIC "
            "  SELECT max(block_height) FROM failed_receipts; END; "
            "CREATE TABLE mine.orders (tx_hash text REFERENCES watches)");
    }
    SchemaFiles with_migration(const std::string& sql) {
        SchemaFiles files;
        files.migrations.push_back({name_of(files, 1, "more"), "CREATE TABLE more (id int)"});
        files.migrations.push_back({name_of(files, 1, "drops"), sql});
        return files;
    }
    static std::string name_of(const SchemaFiles& files, std::size_t ahead, const std::string& what) {
        const auto number = std::to_string(files.migrations.size() + ahead);
        return std::string(4 - number.size(), '0') + number + "_" + what + ".sql";
    }
};

TEST_F(Foreign, SurvivesEveryFileOfTheSchema) {
    execute("UPDATE schema_objects SET checksum = 'of an earlier version'");
    EXPECT_EQ(problem_with({}), "none");
    EXPECT_TRUE(migrate_status(database().options()).current());
    EXPECT_EQ(value("SELECT count(*) FROM mine.parts"), "0");
    EXPECT_EQ(value("SELECT count(*) FROM mine.of_trees"), "0");
}

TEST_F(Foreign, IsNamedWithItsDefinitionBeforeAnythingChanges) {
    const auto problem = problem_with(with_migration("DROP FUNCTION receipt_tree(text)"));
    EXPECT_THAT(problem, HasSubstr("view mine.trees of receiptd"));
    EXPECT_THAT(problem, HasSubstr("view mine.of_trees of receiptd"));
    EXPECT_THAT(problem, HasSubstr("CREATE VIEW mine.trees AS "));
    EXPECT_THAT(problem, testing::Not(HasSubstr("mine.parts")));
    EXPECT_THAT(problem, testing::Not(HasSubstr("CASCADE"))) << "which would drop it unseen";
    EXPECT_EQ(value("SELECT to_regclass('more')"), "") << "the migration before it was kept";
    EXPECT_TRUE(migrate_status(database().options()).current());
}

TEST_F(Foreign, IsNamedWhateverItIs) {
    EXPECT_THAT(problem_with(with_migration("DROP VIEW delegate_refusals")),
                HasSubstr("CREATE MATERIALIZED VIEW mine.refused AS"));
    EXPECT_THAT(problem_with(with_migration("DROP VIEW failed_receipts")),
                HasSubstr("FUNCTION mine.newest()"));
}

TEST_F(Foreign, KeysOnOurTablesAreNamed) {
    EXPECT_THAT(
        problem_with(with_migration("ALTER TABLE watches DROP CONSTRAINT watches_pkey")),
        HasSubstr("ALTER TABLE mine.orders ADD CONSTRAINT orders_tx_hash_fkey FOREIGN KEY (tx_hash)"));
}

TEST_F(Migrate, NamesTheTransactionThatKeepsATableAndMakesNobodyWait) {
    migrate(database().options(), "receiptd_readonly");
    auto reader = storage::shim::connect(database().url() + "?application_name=dashboard");
    pqxx::work reading(*reader);
    reading.exec("SELECT FROM transactions");
    SchemaFiles newer;
    newer.migrations.push_back({"00" + std::to_string(newer.migrations.size() + 1) + "_column.sql",
                                "ALTER TABLE transactions ADD COLUMN more int"});
    try {
        migrate(database().options(), "receiptd_readonly", newer,
                {std::chrono::milliseconds(20), std::chrono::milliseconds(1), 3});
        FAIL() << "migrated under a reader";
    } catch (const StorageError& e) {
        EXPECT_THAT(
            e.what(),
            HasSubstr("_column.sql could not be applied, because transactions on its tables do not end"));
        EXPECT_THAT(e.what(), HasSubstr("of receiptd (dashboard), in a transaction since "));
        EXPECT_THAT(e.what(), HasSubstr("pg_terminate_backend"));
    }
    EXPECT_EQ(value("SELECT count(*) FROM transactions"), "0") << "nobody queues behind it";
}

TEST_F(Migrate, GoesOnWhenTheTransactionHasEnded) {
    migrate(database().options(), "receiptd_readonly");
    auto reader = storage::shim::connect(database().url());
    std::optional<pqxx::work> reading(*reader);
    reading->exec("SELECT FROM transactions");
    SchemaFiles newer;
    newer.migrations.push_back({"00" + std::to_string(newer.migrations.size() + 1) + "_column.sql",
                                "ALTER TABLE transactions ADD COLUMN more int"});
    auto made = std::async(std::launch::async, [&, options = database().options()] {
        return migrate(options, "receiptd_readonly", newer,
                       {std::chrono::milliseconds(20), std::chrono::milliseconds(1), 1'000'000});
    });
    wait_until(database().url(),
               "SELECT FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database "
               "WHERE datname = current_database())");
    reading.reset();
    EXPECT_EQ(made.get().size(), 2u);
    EXPECT_EQ(value("SELECT count(more) FROM transactions"), "0");
}

TEST_F(Migrate, TellsWhoseTablesTheyAreAndTheCommandForTheOwner) {
    migrate(database().options(), "receiptd_readonly");
    const auto mine = migrate_status(database().options());
    EXPECT_TRUE(mine.user_owns);
    EXPECT_EQ(mine.owner, "receiptd");

    const auto daemons = migrate_status(database().daemon_options());
    EXPECT_TRUE(daemons.current());
    EXPECT_FALSE(daemons.user_owns);
    EXPECT_EQ(daemons.user, "receiptd_daemon");
    EXPECT_EQ(
        storage::migrate_command({base::Secret("postgresql://follower:hush@db.example:5433/chain"), {}, {}},
                                 "owner", "/etc/receiptd/receiptd.toml"),
        "receiptd migrate --config /etc/receiptd/receiptd.toml --database-url "
        "'postgresql://owner@db.example:5433/chain'");
    EXPECT_EQ(
        storage::migrate_command({base::Secret("host=/run/postgresql dbname=chain"), {}, {}}, "o'w", ""),
        "receiptd migrate --database-url 'postgresql://o%27w@/chain?host=%2Frun%2Fpostgresql'");
}

}  // namespace
}  // namespace receiptd::test
