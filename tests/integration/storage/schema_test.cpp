// What people at psql see: comments, rights, views.
#include "store_test_support.hpp"

#include <gmock/gmock.h>

namespace receiptd::test {
namespace {

using testing::HasSubstr;

using Schema = StoreTest;

TEST_F(Schema, HasACommentOnEveryTableViewColumnAndFunction) {
    await(store().maintain());
    EXPECT_EQ(rows("SELECT c.relname FROM pg_class c "
                   "WHERE c.relnamespace IN ('public'::regnamespace, 'receiptd_partitions'::regnamespace) "
                   "AND c.relkind IN ('r', 'p', 'v') AND obj_description(c.oid, 'pg_class') IS NULL"),
              "");
    EXPECT_EQ(rows("SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid "
                   "WHERE c.relnamespace IN ('public'::regnamespace, 'receiptd_partitions'::regnamespace) "
                   "AND c.relkind IN ('r', 'p', 'v') AND a.attnum > 0 AND NOT a.attisdropped AND "
                   "col_description(c.oid, a.attnum) IS NULL"),
              "");
    EXPECT_EQ(rows("SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace "
                   "AND obj_description(oid, 'pg_proc') IS NULL"),
              "");
}

// Without an identity PostgreSQL refuses every UPDATE and DELETE of a table that a publication has.
TEST_F(Schema, EveryTableMayBeInAPublication) {
    commit(block_batch(100));
    await(store().maintain());
    run_sql(database().url(), "CREATE PUBLICATION everything FOR ALL TABLES");
    std::string refused;
    for (const auto& table : run_sql(
             database().url(),
             "SELECT c.oid::regclass, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid "
             "AND a.attnum = (SELECT min(attnum) FROM pg_attribute WHERE attrelid = c.oid "
             "  AND attnum > 0 AND NOT attisdropped AND attidentity = '') "
             "WHERE c.relkind = 'r' "
             "AND c.relnamespace IN ('public'::regnamespace, 'receiptd_partitions'::regnamespace)")) {
        const auto name = table[0].as<std::string>(), column = table[1].as<std::string>();
        try {
            run_sql(database().url(), "UPDATE " + name + " SET " + column + " = " + column +
                                          " WHERE false; DELETE FROM " + name + " WHERE false");
        } catch (const pqxx::sql_error& e) {
            refused += name + ": " + e.what();
        }
    }
    EXPECT_EQ(refused, "");
    EXPECT_EQ(commit(block_batch(101)), CommitOutcome::committed);
    EXPECT_EQ(
        rows("SELECT relreplident FROM pg_class WHERE relname IN ('receipts', 'events') ORDER BY relname"),
        "f\ni\n")
        << "by an index where there is one";
    run_sql(database().url(), "DROP PUBLICATION everything");
}

TEST_F(Schema, HistoryCanBeDistributedByTree) {
    EXPECT_EQ(rows("SELECT conrelid::regclass FROM pg_constraint WHERE contype = 'f' "
                   "AND connamespace = 'public'::regnamespace "
                   "AND conrelid IN (SELECT partrelid FROM pg_partitioned_table)"),
              "")
        << "foreign keys";
    EXPECT_EQ(
        rows("SELECT i.indrelid::regclass FROM pg_index i JOIN pg_partitioned_table p ON p.partrelid = "
             "i.indrelid "
             "WHERE i.indisunique AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = i.indrelid "
             "AND (a.attname = 'tree_id' OR a.attname = 'block_time') AND NOT a.attnum = ANY (i.indkey))"),
        "")
        << "unique constraints without tree_id and block_time";
}

TEST_F(Schema, HasExactlyTheColumnsThatAreWritten) {
    for (std::size_t i = 0; i < chain::kTableCount; ++i) {
        const auto& spec = chain::table_spec(static_cast<Table>(i));
        std::string names;
        for (const auto& column : spec.columns) names += column + " ";
        const auto written =
            rows("SELECT count(*) FROM unnest(string_to_array(trim('" + names +
                 "'), ' ')) w WHERE w NOT IN (SELECT attname FROM pg_attribute WHERE attrelid = '" +
                 spec.name + "'::regclass AND attnum > 0)");
        EXPECT_EQ(written, "0\n") << spec.name;
        if (std::string_view(spec.name) == "orphan_receipts" ||
            std::string_view(spec.name) == "pending_trees")
            continue;
        // No block writes what is only known of a watch, or of a whole tree.
        EXPECT_EQ(
            rows("SELECT string_agg(attname, ' ' ORDER BY attnum) || ' ' FROM pg_attribute WHERE "
                 "attrelid = '" +
                 std::string(spec.name) +
                 "'::regclass AND attnum > 0 AND NOT attisdropped AND attname NOT IN ('conclusive', "
                 "'safe_to_resign_after_height', 'safe_to_resign_estimated_at', 'correction', 'confirmed')"),
            names + "\n");
    }
}

// PostgreSQL converts nothing of a binary COPY.
TEST_F(Schema, HasTheTypesThatRowsAreWrittenIn) {
    const auto type_name = [](ColumnType type) {
        switch (type) {
            case ColumnType::text: return "text";
            case ColumnType::boolean: return "boolean";
            case ColumnType::smallint: return "smallint";
            case ColumnType::integer: return "integer";
            case ColumnType::bigint: return "bigint";
            case ColumnType::numeric: return "numeric";
            case ColumnType::time: return "timestamp with time zone";
            case ColumnType::texts: return "text[]";
            case ColumnType::bytes: return "bytea";
        }
        return "";
    };
    for (std::size_t i = 0; i < chain::kTableCount; ++i) {
        const auto& spec = chain::table_spec(static_cast<Table>(i));
        for (const auto& column : spec.columns) {
            auto stored = value("SELECT format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = '" +
                                std::string(spec.name) + "'::regclass AND attname = '" + column + "'");
            if (stored == "json") stored = "text";  // received as its text
            EXPECT_EQ(stored, type_name(type_of_column(column))) << spec.name << "." << column;
        }
    }
}

TEST_F(Schema, ReadersReadTablesAndViewsAndWriteNothing) {
    commit(block_batch(100));
    auto connection = storage::shim::connect(database().url());
    pqxx::nontransaction reader(*connection);
    reader.exec("SET ROLE receiptd_readonly");
    for (const char* table : {"blocks",
                              "receipts",
                              "gaps",
                              "failed_receipts",
                              "chain_throughput('-infinity')",
                              "skipped_heights",
                              "partitions",
                              "coverage",
                              "receipt_tree('x')",
                              "transaction_result('x')",
                              "transaction_results",
                              "global_contract_distributions",
                              "global_contracts('-infinity')",
                              "findings",
                              "failed_callbacks",
                              "handled_failures",
                              "unfinished_trees('-infinity')",
                              "open_watches",
                              "stuck_watches",
                              "stage_latency",
                              "contract_health('-infinity')",
                              "nonce_gaps('-infinity')",
                              "executed_again",
                              "set_aside"})
        EXPECT_NO_THROW(reader.exec(std::string("SELECT * FROM ") + table)) << table;
    for (const char* sql :
         {"DELETE FROM blocks", "INSERT INTO coverage (scope) VALUES ('x')", "TRUNCATE receipts",
          "UPDATE receiptd_partitions.blocks_p20221019 SET block_hash = ''", "DROP TABLE blocks",
          "SELECT retire_partitions(now(), now())", "SELECT make_partitions(now(), now())"})
        EXPECT_THROW(reader.exec(sql), pqxx::insufficient_privilege) << sql;
}

TEST_F(Schema, TheDaemonsRoleFollowsWithoutOwningAnything) {
    const auto role = "follower_" + database().name();
    execute("CREATE ROLE " + role + " LOGIN PASSWORD 'hush' IN ROLE receiptd_daemon");
    {
        OpenStore follower(database().url_as(role + ":hush") + "?options=");
        await(follower.check_identity("testnet", "all"));
        EXPECT_EQ(await(follower.blocks.commit(block_batch(100))), CommitOutcome::committed);
        await(follower.orphans.adopt_orphans({100, 100}));
        await(follower.trees.settle_trees({100, 100}, {}));
        await(follower.maintain());
        await(follower.blocks.record_unavailable({101, "UNKNOWN_BLOCK", "", 1}));
        EXPECT_EQ(await(follower.backfills.claim_backfill({1, 5})).leased, false);
    }
    execute("DROP ROLE " + role);
}

TEST_F(Schema, AUserWithoutRightsIsToldWhichItLacks) {
    const auto role = "nobody_" + database().name();
    execute("CREATE ROLE " + role + " LOGIN PASSWORD 'hush'");
    {
        OpenStore nobody(database().url_as(role + ":hush") + "?options=", impatient());
        try {
            await(nobody.blocks.load_coverage());
            ADD_FAILURE() << "read without rights";
        } catch (const storage::StorageError& e) {
            EXPECT_THAT(e.what(), HasSubstr("member of receiptd_daemon"));
        }
    }
    execute("DROP ROLE " + role);
}

class Views : public StoreTest {
protected:
    // tx T: A (initial) -> B (promise, fails), C (callback); B -> its refund R.
    void SetUp() override {
        StoreTest::SetUp();
        if (IsSkipped()) return;
        auto first = block_batch(100);
        add_transaction(first, {"T", "A"});
        commit(std::move(first));
        auto second = block_batch(101);
        add_receipt(second, 101, {"A", "T", "T", "", "initial", "{B,C}", "alice.near", "vault.near"});
        commit(std::move(second));
        auto third = block_batch(102);
        add_receipt(third, 102,
                    {"B", "T", "T", "A", "promise", "{R}", "vault.near", "token.near", "failure", "[]", "",
                     "{d}", "FunctionCallError"});
        commit(std::move(third));
        auto fourth = block_batch(103);
        add_receipt(
            fourth, 103,
            {"C", "T", "T", "A", "callback", "{}", "vault.near", "vault.near", "success_value", "[]", "{d}"});
        add_receipt(fourth, 103, {"R", "T", "T", "B", "refund", "{}", "system", "vault.near"});
        commit(std::move(fourth));
    }
};

TEST_F(Views, ReceiptTreeWalksDepthFirstAndMarksFailures) {
    const std::string tree =
        "0|transaction bob.near|T|f|t\n"
        "1|  initial vault.near.run()|A|f|t\n"
        "2|    promise token.near.run() ✗ FunctionCallError|B|t|t\n"
        "3|      refund vault.near.run()|R|f|f\n"
        "2|    callback vault.near.run()|C|f|f\n";
    const std::string columns = "SELECT depth, tree, id, failed, leads_to_failure FROM receipt_tree";
    EXPECT_EQ(rows(columns + "('T')"), tree);
    EXPECT_EQ(rows(columns + "('R')"), tree) << "by the id of any receipt";
    EXPECT_EQ(rows(columns + "('nothing')"), "");
}

TEST_F(Views, ReceiptTreeShowsATreeWhoseTransactionIsNotStored) {
    auto batch = block_batch(104);
    add_receipt(batch, 104,
                {"X", "X", "", "", "promise", "{Y}", "alice.near", "bob.near", "success_value", "[]", "", "",
                 "", "", true});
    add_receipt(batch, 104, {"Y", "X", "", "X", "detached"});
    commit(std::move(batch));
    EXPECT_EQ(rows("SELECT depth, id FROM receipt_tree('Y')"), "1|X\n2|Y\n");
}

TEST_F(Views, FailedReceiptsListsFailures) {
    EXPECT_EQ(
        rows("SELECT receipt_id, role, error_class FROM failed_receipts WHERE block_time >= '2022-10-19'"),
        "B|promise|FunctionCallError\n");
}

TEST_F(Views, ChainThroughputCountsPerMinute) {
    EXPECT_EQ(rows("SELECT minute, from_height, to_height, blocks, transactions, receipts, failed_receipts, "
                   "gas_burnt "
                   "FROM chain_throughput('2022-10-19')"),
              "2022-10-19 00:01:00+00|100|103|4|1|4|1|140\n");
}

TEST_F(Views, GapsNameWhatIsMissingAndWhy) {
    await(store().blocks.want({90, 110}));
    for (base::Height height = 105; height <= 107; ++height)
        await(store().blocks.record_unavailable({height, "UNKNOWN_CHUNK", "host a", 1}));
    EXPECT_EQ(rows("SELECT from_height, to_height, heights, reason FROM gaps"),
              "90|99|10|not fetched yet\n104|104|1|not fetched yet\n105|107|3|UNKNOWN_CHUNK\n"
              "108|110|3|not fetched yet\n");
}

TEST_F(Views, GapsNameWhatAnOperatorHasSkipped) {
    await(store().blocks.want({90, 99}));
    await(store().blocks.skip({0, 95}));
    EXPECT_EQ(rows("SELECT from_height, to_height, heights, reason, attempts FROM gaps"),
              "90|95|6|skipped by operator|-\n96|99|4|not fetched yet|-\n");
}

TEST_F(Views, ATreeIsFoundThroughIndexesInThePartitionsOfItsTime) {
    await(store().maintain());
    const auto plan = rows(
        "EXPLAIN SELECT r.* FROM tree_of('T') t JOIN receipts r ON r.tree_id = t.tree_id "
        "AND r.block_time >= t.since");
    EXPECT_THAT(plan, HasSubstr("tree_id_receipt_id_block_time"));
}

}  // namespace
}  // namespace receiptd::test
