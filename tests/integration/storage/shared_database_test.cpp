// No test sees what another left in the database that they share.
#include "alert_test_support.hpp"

namespace receiptd::test {
namespace {

class SharedDatabases : public DatabaseTest {
protected:
    LentDatabase lend_database(const std::string& maintenance_url) override {
        return not_shared(copy_of(maintenance_url, template_of_first_day(maintenance_url)));
    }
    // All rows, partitions and numbers.
    std::string content() {
        std::string text = rows("SELECT partition_name, from_time FROM partitions ORDER BY 1");
        text += rows("SELECT sequencename, last_value FROM pg_sequences ORDER BY 1");
        for (const auto& row : database().ask(kTables))
            text += row[0].c_str() +
                    (": " + rows(std::string("SELECT * FROM ") + row[0].c_str() + " ORDER BY 1"));
        return text;
    }
};

constexpr const char* kRowsOfManyKinds =
    "INSERT INTO chain_identity (network, scope, partition_width, created_by) VALUES ('n', 's', 'day', 'x'); "
    "INSERT INTO receipts (receipt_id, tree_id, block_time, receiver_id, status) "
    "  SELECT 'r' || n, 't', '2022-10-19', 'bob.near', 'success_value' FROM generate_series(1, 5000) n; "
    "INSERT INTO endpoints (name) VALUES ('ops'); INSERT INTO endpoint_rules VALUES ('default', 'ops'); "
    "INSERT INTO alerts (alert_id, kind) VALUES ('a', 'stuck'); "
    "INSERT INTO deliveries (alert_id, endpoint) VALUES ('a', 'ops'); "
    "INSERT INTO stream_events (kind, body) VALUES ('finding', '{}'); "
    "UPDATE alert_rule_state SET silences = silences + 1; DELETE FROM schema_migrations WHERE version = 3; "
    "SELECT make_partitions('2030-01-01', '2030-01-02'); SELECT retire_partitions('2022-10-01', NULL)";

TEST_F(SharedDatabases, AreEmptiedOfRowsPartitionsAndNumbers) {
    const auto before = content();
    CleanState clean(database().url());
    execute(kRowsOfManyKinds);
    EXPECT_NE(content(), before);
    EXPECT_TRUE(clean.restore());
    EXPECT_EQ(content(), before);
    execute("INSERT INTO stream_events (kind, body) VALUES ('finding', '{}')");
    EXPECT_EQ(value("SELECT id FROM stream_events"), "1");
}

TEST_F(SharedDatabases, AreLeftByEverySession) {
    CleanState clean(database().url());
    auto forgotten = quiet_connection(database().url());
    pqxx::work tx(*forgotten);
    tx.exec("LOCK TABLE blocks; SELECT pg_advisory_lock(1)");
    EXPECT_TRUE(clean.restore());
    EXPECT_EQ(value("SELECT count(*) FROM pg_locks JOIN pg_database d ON d.oid = database "
                    "WHERE d.datname = current_database() AND (relation = 'blocks'::regclass OR locktype = "
                    "'advisory')"),
              "0");
}

TEST_F(SharedDatabases, AreGivenUpWhenAnythingElseIsLeft) {
    CleanState clean(database().url());
    const auto before = clean.fingerprint();
    for (const char* sql : {"CREATE TABLE more (id int)",
                            "CREATE VIEW more AS SELECT 1",
                            "CREATE SCHEMA more",
                            "CREATE SEQUENCE more",
                            "CREATE FUNCTION more() RETURNS int LANGUAGE sql AS 'SELECT 1'",
                            "CREATE TYPE more AS (a int)",
                            "CREATE OR REPLACE VIEW gaps AS SELECT * FROM gaps WHERE false",
                            "DROP VIEW gaps",
                            "DROP TABLE receiptd_partitions.blocks_p20221019",
                            "ALTER TABLE findings ADD CONSTRAINT more CHECK (tx_hash <> 'T')",
                            "ALTER TABLE watches ADD COLUMN more int",
                            "ALTER TABLE watches ALTER COLUMN checks SET DEFAULT 7",
                            "ALTER TABLE coverage RENAME TO more",
                            "ALTER TABLE watches SET (fillfactor = 50)",
                            "CREATE INDEX more ON watches (sender_id)",
                            "DROP INDEX orphan_receipts_block_height_idx",
                            "ALTER TABLE watches DISABLE TRIGGER ALL",
                            "GRANT TRUNCATE ON blocks TO receiptd_daemon",
                            "GRANT SELECT (body) ON stream_events TO receiptd_readonly",
                            "REVOKE SELECT ON blocks FROM receiptd_readonly",
                            "GRANT CREATE ON SCHEMA public TO receiptd_daemon",
                            "ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO receiptd_readonly",
                            "COMMENT ON TABLE blocks IS 'more'",
                            "REVOKE EXECUTE ON FUNCTION pg_catalog.now() FROM public",
                            "ALTER FUNCTION make_partitions(timestamptz, timestamptz) SECURITY INVOKER"}) {
        pqxx::work tx(clean.connection());
        tx.exec(sql);
        EXPECT_NE(all_rows(tx.exec_prepared("marks")), before) << sql;
    }
    EXPECT_EQ(clean.fingerprint(), before) << "rolled back";
    execute("ALTER DATABASE " + database().name() + " SET work_mem = '1MB'");
    EXPECT_FALSE(clean.restore());
}

TEST_F(SharedDatabases, AreGivenUpWithWhatThePlannerHasLearned) {
    CleanState clean(database().url());
    execute("ANALYZE alert_rule_state");
    EXPECT_FALSE(clean.restore());
}

TEST_F(SharedDatabases, AreGivenUpWithARoleThatIsNamedAfterThem) {
    CleanState clean(database().url());
    const auto role = "left_" + database().name();
    execute("CREATE ROLE " + role);
    EXPECT_FALSE(clean.restore());
    execute("DROP ROLE " + role);
    EXPECT_TRUE(clean.restore());
}

}  // namespace
}  // namespace receiptd::test
