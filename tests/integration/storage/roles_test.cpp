// The rights of roles in the database, and the document that tells them.
#include "store_test_support.hpp"
#include "support/read_file.hpp"

#include <gmock/gmock.h>

#include <fstream>

namespace receiptd::test {
namespace {

using storage::StorageError;
using testing::HasSubstr;

const std::string kDocument = RECEIPTD_SOURCES "/docs/roles.md";
const std::string kBegins = "<!-- The tables below are made by a test. -->\n";
const std::string kInsufficientPrivilege = "42501";

// A right on every column is one on the table; of others the columns are named, or those that lack it if
// these are fewer.
const std::string kRights = R"(
WITH roles AS (
    SELECT * FROM unnest(ARRAY['receiptd_readonly', 'receiptd_watcher', 'receiptd_daemon', 'public'])
    WITH ORDINALITY AS r (role, n)
), kinds AS (
    SELECT * FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER', 'REFERENCES'])
    WITH ORDINALITY AS k (kind, n)
), cells AS (
    SELECT c.relname, r.n AS role, k.n AS kind, lower(k.kind) || CASE
        WHEN bool_and(yes) THEN ''
        WHEN count(*) FILTER (WHERE yes) > count(*) FILTER (WHERE NOT yes)
            THEN ' but ' || string_agg(a.attname, ', ' ORDER BY a.attnum) FILTER (WHERE NOT yes)
        ELSE ' (' || string_agg(a.attname, ', ' ORDER BY a.attnum) FILTER (WHERE yes) || ')' END AS words
    FROM pg_class c CROSS JOIN roles r CROSS JOIN kinds k
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    CROSS JOIN LATERAL (SELECT CASE WHEN k.kind IN ('DELETE', 'TRUNCATE', 'TRIGGER')
        THEN has_table_privilege(r.role, c.oid, k.kind)
        ELSE has_column_privilege(r.role, c.oid, a.attnum, k.kind) END AS yes) each
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition
    GROUP BY c.relname, r.n, k.n, k.kind
    HAVING bool_or(yes)
)
SELECT '| `' || c.relname || '` | ' || string_agg(coalesce(cell.words, '-'), ' | ' ORDER BY r.n) || ' |'
FROM pg_class c CROSS JOIN roles r LEFT JOIN LATERAL (
    SELECT string_agg(words, '; ' ORDER BY kind) AS words FROM cells WHERE relname = c.relname AND role = r.n) cell ON true
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition
GROUP BY c.relname ORDER BY c.relname)";

const std::string kOwnersFunctions = R"(
SELECT '| `' || p.oid::regprocedure || '` | ' || string_agg(
    CASE WHEN has_function_privilege(r.role, p.oid, 'EXECUTE') THEN 'execute' ELSE '-' END, ' | ' ORDER BY r.n) || ' |'
FROM pg_proc p, unnest(ARRAY['receiptd_readonly', 'receiptd_watcher', 'receiptd_daemon', 'public'])
    WITH ORDINALITY AS r (role, n)
WHERE p.pronamespace = 'public'::regnamespace AND p.prosecdef GROUP BY p.oid ORDER BY 1)";

class Roles : public StoreTest {
protected:
    // The SQLSTATE with which a role is refused; empty: it is not.
    std::string refusal(const std::string& role, const std::string& sql) {
        const auto connection = storage::shim::connect(database().url());
        pqxx::work tx(*connection);
        tx.exec("SET LOCAL ROLE " + role);
        try {
            tx.exec(sql);
        } catch (const pqxx::sql_error& e) {
            return storage::shim::sqlstate_of(e);
        }
        return {};
    }
    void migrate(const std::string& readers = kReadonlyRole) {
        storage::migrate(database().options(), readers);
    }
    std::string problem_of_migrating() {
        try {
            migrate();
        } catch (const StorageError& e) {
            return e.what();
        }
        return "none";
    }
    // Gone at the end of the test.
    std::string make_role(const std::string& what) {
        made_.push_back(what + "_" + database().name());
        execute("CREATE ROLE " + made_.back());
        return made_.back();
    }
    void TearDown() override {
        for (const auto& role : made_) execute("DROP OWNED BY " + role + " CASCADE; DROP ROLE " + role);
        StoreTest::TearDown();
    }

private:
    std::vector<std::string> made_;
};

TEST_F(Roles, HaveTheRightsThatTheDocumentShows) {
    const std::string head = "| reader | watcher | daemon | everybody |\n|---|---|---|---|---|\n";
    const auto table = kBegins + "\n| table or view " + head + rows(kRights) +
                       "\n| function with the owner's rights " + head + rows(kOwnersFunctions);
    const auto document = read_file(kDocument);
    const auto begin = document.find(kBegins);
    ASSERT_NE(begin, std::string::npos);
    if (std::getenv("RECEIPTD_WRITE_DOCS") != nullptr)
        std::ofstream(kDocument) << document.substr(0, begin) << table;
    else
        EXPECT_EQ(document.substr(begin), table) << "write it anew: RECEIPTD_WRITE_DOCS=1 and this test";
}

TEST_F(Roles, ReadersSeeNeitherSignedTransactionsNorKeysNorBodiesOfAlerts) {
    for (const char* sql :
         {"SELECT signed_tx_base64 FROM watches", "SELECT idempotency_key FROM watches",
          "SELECT * FROM watches", "SELECT w FROM watches w",
          "SELECT count(*) FROM watches WHERE idempotency_key = 'k'", "SELECT payload FROM alerts",
          "SELECT cause FROM alerts", "SELECT body FROM stream_events", "SELECT last_answer FROM deliveries",
          "SELECT last_telling('x')"})
        EXPECT_EQ(refusal("receiptd_readonly", sql), kInsufficientPrivilege) << sql;
    for (const char* sql :
         {"SELECT tx_hash, stage, metadata FROM watches", "SELECT alert_id, kind FROM alerts",
          "SELECT count(*) FROM watches", "SELECT state, last_error FROM deliveries",
          "SELECT * FROM stuck_watches", "SELECT * FROM receipt_tree('x')"})
        EXPECT_EQ(refusal("receiptd_readonly", sql), "") << sql;
}

TEST_F(Roles, WatchersAddWatchesAndNothingElse) {
    const std::string hash = "'2Dhv4NohEpoxo4srCnp1miGBLgUKWPc8qUfRtyh1isNN'";
    EXPECT_EQ(refusal("receiptd_watcher",
                      "INSERT INTO watches (tx_hash, sender_id) VALUES (" + hash + ", 'alice.near')"),
              "");
    EXPECT_EQ(refusal("receiptd_watcher", "INSERT INTO watches (tx_hash, sender_id) VALUES (" + hash +
                                              ", 'alice.near') ON CONFLICT DO NOTHING"),
              "");
    for (const std::string& sql :
         {"INSERT INTO watches (tx_hash, sender_id, stage) VALUES (" + hash + ", 'alice.near', 'final')",
          "INSERT INTO watches (tx_hash, sender_id, signed_tx_base64) VALUES (" + hash +
              ", 'alice.near', 'AA==')",
          "INSERT INTO watches (tx_hash, sender_id, checks) VALUES (" + hash + ", 'alice.near', 2147483647)",
          std::string("UPDATE watches SET sender_id = 'bob.near'"), std::string("DELETE FROM watches"),
          std::string("SELECT tx_hash FROM watches"), std::string("SELECT FROM blocks"),
          std::string("SELECT make_partitions(now(), now())"), std::string("TRUNCATE watches")})
        EXPECT_EQ(refusal("receiptd_watcher", sql), kInsufficientPrivilege) << sql;
}

TEST_F(Roles, TheDaemonDropsNothingAndChangesNoTable) {
    await(store().maintain());
    for (const char* sql :
         {"DROP TABLE blocks", "DROP TABLE receiptd_partitions.blocks_p20221019", "TRUNCATE receipts",
          "ALTER TABLE blocks ADD COLUMN x int", "UPDATE blocks SET block_hash = ''",
          "UPDATE schema_migrations SET checksum = ''", "DELETE FROM coverage", "DELETE FROM chain_identity",
          "DELETE FROM alert_rule_versions", "CREATE TABLE mine (id int)"})
        EXPECT_EQ(refusal("receiptd_daemon", sql), kInsufficientPrivilege) << sql;
}

TEST_F(Roles, HaveNoRightOnTablesOfOthersNowOrLater) {
    execute("CREATE TABLE salaries (amount int); CREATE VIEW of_salaries AS SELECT * FROM salaries");
    migrate();
    for (const char* role : {"receiptd_readonly", "receiptd_daemon", "receiptd_watcher"})
        for (const char* table : {"salaries", "of_salaries"})
            EXPECT_EQ(refusal(role, std::string("SELECT FROM ") + table), kInsufficientPrivilege)
                << role << table;
}

TEST_F(Roles, WhatSomebodyGaveTooMuchIsTakenBack) {
    await(store().maintain());
    execute(
        "GRANT SELECT ON ALL TABLES IN SCHEMA public TO receiptd_readonly; GRANT DELETE ON chain_identity TO "
        "receiptd_daemon; GRANT INSERT ON watches TO receiptd_watcher");
    migrate();
    for (const char* sql : {"SELECT payload FROM alerts", "SELECT FROM receiptd_partitions.blocks_p20221019"})
        EXPECT_EQ(refusal("receiptd_readonly", sql), kInsufficientPrivilege) << sql;
    EXPECT_EQ(refusal("receiptd_readonly", "SELECT FROM blocks"), "");
    EXPECT_EQ(refusal("receiptd_daemon", "DELETE FROM chain_identity"), kInsufficientPrivilege);
    EXPECT_EQ(refusal("receiptd_watcher", "INSERT INTO watches (stage) VALUES ('final')"),
              kInsufficientPrivilege);
}

TEST_F(Roles, ARenamedReadersRoleLosesItsRights) {
    const auto readers = make_role("readers");
    migrate(readers);
    EXPECT_EQ(refusal(readers, "SELECT tx_hash FROM watches"), "");
    EXPECT_EQ(refusal("receiptd_readonly", "SELECT tx_hash FROM watches"), kInsufficientPrivilege);
    EXPECT_EQ(refusal("receiptd_readonly", "SELECT FROM blocks"), kInsufficientPrivilege);
    migrate();
    EXPECT_EQ(refusal(readers, "SELECT FROM blocks"), kInsufficientPrivilege);
    EXPECT_EQ(refusal("receiptd_readonly", "SELECT FROM blocks"), "");
}

TEST_F(Roles, TheReadersRoleMayNotBeTheDaemons) {
    try {
        migrate("receiptd_daemon");
        FAIL() << "migrated";
    } catch (const StorageError& e) {
        EXPECT_THAT(e.what(), HasSubstr("choose another name"));
    }
}

TEST_F(Roles, NothingIsGrantedAgainWhenNothingHasChanged) {
    await(store().maintain());
    const std::string rows_of_catalogue =
        "SELECT md5(string_agg(xmin::text || relname, ' ' ORDER BY relname)) FROM pg_class "
        "WHERE relnamespace IN ('public'::regnamespace, 'receiptd_partitions'::regnamespace) AND relkind IN "
        "('r', 'p', 'v')";
    migrate();
    const auto before = value(rows_of_catalogue);
    migrate();
    EXPECT_EQ(value(rows_of_catalogue), before);
}

TEST_F(Roles, FunctionsWithTheOwnersRightsCallNothingOfOthers) {
    execute(
        "CREATE FUNCTION public.format(text, text, text) RETURNS text LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'called'; END $$;"
        "CREATE FUNCTION public.hashtextextended(text, int) RETURNS bigint LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'called'; END $$");
    EXPECT_EQ(refusal("receiptd_daemon", "SELECT make_partitions('2030-01-01', '2030-01-01')"), "");
    EXPECT_EQ(refusal("receiptd_daemon", "SELECT retire_partitions('2030-01-01', NULL)"), "");
}

TEST_F(Roles, AFunctionOfAStrangerWithTheNameOfABuiltInOneIsRefused) {
    const auto mallory = make_role("mallory");
    execute("GRANT CREATE ON SCHEMA public TO " + mallory + "; SET ROLE " + mallory +
            "; CREATE FUNCTION public.to_timestamp(numeric) RETURNS timestamptz LANGUAGE sql AS 'SELECT "
            "now()'; RESET ROLE");
    EXPECT_THAT(problem_of_migrating(), HasSubstr("to_timestamp(numeric) of " + mallory));
    OpenStore daemon(database().url());
    EXPECT_THROW(await(daemon.check_identity("testnet", "all")), StorageError);
    execute("ALTER FUNCTION public.to_timestamp(numeric) RENAME TO my_timestamp");
    EXPECT_EQ(problem_of_migrating(), "none");
}

}  // namespace
}  // namespace receiptd::test
