#include "store_test_support.hpp"

#include <gmock/gmock.h>

namespace receiptd::test {
namespace {

using storage::StorageError;
using testing::HasSubstr;

using Commit = StoreTest;
using CommitToNoPartitions = WithOwnDatabase<StoreTest>;

TEST_F(Commit, WritesRowsAndCoverageTogether) {
    EXPECT_EQ(commit(full_batch(100)), CommitOutcome::committed);
    EXPECT_EQ(value("SELECT heights FROM coverage"), "{[100,101)}");
    EXPECT_EQ(rows("SELECT receipt_id, tree_id, role, receiver_id FROM receipts"),
              "r100|tx100|initial|token.near\n");
    EXPECT_EQ(value("SELECT event FROM events"), "ft_transfer");
    EXPECT_EQ(await(store().blocks.load_coverage()).covered, base::HeightSet({100, 100}));
    EXPECT_EQ(store().series.tables[3].rows->Value(), 1);
}

TEST_F(Commit, CoversTheSkippedHeightsBelowABlock) {
    commit(block_batch(105, 102));
    EXPECT_EQ(value("SELECT heights FROM coverage"), "{[103,106)}");
    EXPECT_EQ(rows("SELECT height, next_block_height FROM skipped_heights ORDER BY 1"), "103|105\n104|105\n");
}

TEST_F(Commit, RemembersAHoleThatItLeavesBelow) {
    auto above = block_batch(105);
    above.facts.wanted.add({101, 105});
    commit(std::move(above));
    EXPECT_EQ(value("SELECT wanted - heights FROM coverage"), "{[101,105)}");
    await(store().blocks.record_unavailable({107, "UNKNOWN_BLOCK", "", 1}));
    EXPECT_EQ(value("SELECT wanted - heights FROM coverage"), "{[101,105),[107,108)}");
}

TEST_F(Commit, WritesNothingOfABatchThatIsCoveredEvenInPart) {
    commit(full_batch(100));
    auto both = full_batch(100);
    both.append(full_batch(101));
    EXPECT_EQ(commit(std::move(both)), CommitOutcome::already_covered);
    EXPECT_EQ(value("SELECT count(*) FROM blocks"), "1");
}

TEST_F(Commit, OneOfTwoWritersWithTheSameHeightsWins) {
    for (base::Height height = 100; height < 120; ++height) {
        boost::asio::io_context io;
        auto first =
            boost::asio::co_spawn(io, store().blocks.commit(full_batch(height)), boost::asio::use_future);
        auto second =
            boost::asio::co_spawn(io, store().blocks.commit(full_batch(height)), boost::asio::use_future);
        io.run();
        EXPECT_NE(first.get(), second.get());
    }
    EXPECT_EQ(value("SELECT count(*) FROM receipts"), "20");
}

TEST_F(Commit, LeavesNothingOfABatchWithABadRow) {
    auto batch = full_batch(100);
    add_line(batch, Table::events, {"not", "enough", "columns"});
    try {
        commit(std::move(batch));
        FAIL() << "committed a bad row";
    } catch (const storage::StorageRefused& e) {
        EXPECT_THAT(e.what(), HasSubstr("events"));
    }
    EXPECT_EQ(value("SELECT count(*) FROM blocks"), "0");
    EXPECT_EQ(value("SELECT heights FROM coverage"), "{}");
    EXPECT_EQ(commit(full_batch(100)), CommitOutcome::committed);
}

TEST_F(Commit, AHeightThatWasRefusedBeforeIsStoredWithoutTheRowsThatAreRefused) {
    execute("ALTER TABLE receipts ADD CONSTRAINT hostile CHECK (receipt_id <> 'r2')");
    const auto come = [&](bool refused_before) {
        auto batch = full_batch(100);
        for (const auto* id : {"r1", "r2", "r3"})
            add_receipt(batch, 100,
                        {id, "t", "", "", "detached", "{}", "alice.near", "bob.near", "success_value", "[]"});
        add_line(batch, Table::events, {"not", "enough", "columns"});
        batch.facts.refused_before = refused_before;
        return batch;
    };
    EXPECT_THROW(commit(come(false)), storage::StorageRefused);
    EXPECT_EQ(value("SELECT count(*) FROM blocks"), "0");
    EXPECT_EQ(commit(come(true)), CommitOutcome::committed);
    EXPECT_EQ(rows("SELECT receipt_id FROM receipts WHERE receipt_id LIKE 'r_' ORDER BY 1"), "r1\nr3\n");
    EXPECT_EQ(value("SELECT heights @> 100::bigint FROM coverage"), "t");
    await(store().database.keep_alive());
    EXPECT_EQ(rows("SELECT what, id, times FROM set_aside ORDER BY 2"),
              "row|100 events not|1\nrow|100 receipts r2|1\n");
    execute("UPDATE set_aside_rows SET last_at = now() - interval '8 days'");
    await(store().database.keep_alive());
    EXPECT_EQ(value("SELECT count(*) FROM set_aside"), "2") << "the rows are missing still";
    await(store().blocks.remove_block(100));
    EXPECT_EQ(value("SELECT count(*) FROM set_aside_rows"), "0");
}

// The block itself cannot be left out.
TEST_F(Commit, AHeightWhoseBlockIsRefusedStaysRefused) {
    execute("ALTER TABLE blocks ADD CONSTRAINT hostile CHECK (block_height <> 100)");
    auto batch = full_batch(100);
    batch.facts.refused_before = true;
    EXPECT_THROW(commit(std::move(batch)), storage::StorageRefused);
    EXPECT_EQ(value("SELECT heights FROM coverage"), "{}");
}

TEST_F(Commit, KeepsTextAsItCame) {
    auto batch = block_batch(100);
    add_receipt(batch, 100,
                {"r", "r", "", "", "callback", "{}", "alice.near", "bob.near", "success_value",
                 R"([{"FunctionCall":{"args_json":{"memo":"tab\\tquote\"end"}}}])"});
    commit(std::move(batch));
    EXPECT_EQ(value("SELECT actions->0->'FunctionCall'->'args_json'->>'memo' FROM receipts"),
              "tab\\tquote\"end");
}

TEST_F(Commit, SendsLargeTablesInPieces) {
    auto batch = block_batch(100);
    const std::string long_text(3000, 'x');
    for (int i = 0; i < 1000; ++i)
        add_receipt(batch, 100,
                    {"r" + std::to_string(i), "t", "", "", "detached", "{}", "alice.near", "bob.near",
                     "success_value", "[\"" + long_text + "\"]"});
    commit(std::move(batch));
    EXPECT_EQ(rows("SELECT count(*), sum(length(actions::text)) FROM receipts"), "1000|3004000\n");
}

TEST_F(CommitToNoPartitions, MakesPartitionsForTheDaysItNeedsAndAhead) {
    commit(full_batch(100));
    EXPECT_EQ(value("SELECT count(*) FROM partitions WHERE partition_name = 'receipts_p20221019'"), "1");
    await(store().maintain());
    EXPECT_EQ(value("SELECT count(*) FROM partitions WHERE table_name = 'events'"), "3");
    EXPECT_EQ(value("SELECT max(until_time)::date FROM partitions"), "2022-10-22");
}

TEST_F(CommitToNoPartitions, ADayIsOpenedOnceAndTenAMinuteAreNew) {
    using storage::DayLeave;
    using storage::DayWord;
    const auto open = [this](std::int64_t day, DayLeave leave) {
        return await(store().blocks.open_day(day, leave));
    };
    EXPECT_EQ(open(20'000, DayLeave::if_there), DayWord::absent);
    EXPECT_EQ(value("SELECT count(*) FROM partitions"), "0");
    for (std::int64_t day = 20'000; day < 20'010; ++day)
        EXPECT_EQ(open(day, DayLeave::counted), DayWord::ready);
    EXPECT_EQ(open(20'010, DayLeave::counted), DayWord::too_many);
    EXPECT_EQ(open(20'000, DayLeave::counted), DayWord::ready) << "it is there";
    EXPECT_EQ(open(20'011, DayLeave::free), DayWord::ready);
    EXPECT_EQ(value("SELECT count(*) FROM partitions WHERE table_name = 'blocks'"), "11");
    OpenStore another(database().url());
    EXPECT_EQ(await(another.blocks.open_day(20'011, DayLeave::if_there)), DayWord::ready);
}

TEST_F(CommitToNoPartitions, OneCallMakesTenOfEachTableAtMost) {
    EXPECT_EQ(value("SELECT make_partitions('2030-01-01', '2030-01-10')"), "90");
    EXPECT_THROW(execute("SELECT make_partitions('2031-01-01', '2031-01-11')"), pqxx::sql_error);
    EXPECT_THROW(execute("SELECT make_partitions('-infinity', now())"), pqxx::sql_error);
    EXPECT_THROW(execute("SELECT make_partitions(now(), 'infinity')"), pqxx::sql_error);
    EXPECT_EQ(value("SELECT count(*) FROM partitions"), "90");
}

TEST_F(CommitToNoPartitions, NoneAreMadeAheadOfAChainOfLongAgo) {
    commit(full_batch(100));
    store().clock.now += std::chrono::days(300);
    await(store().maintain());
    EXPECT_EQ(value("SELECT max(until_time)::date FROM partitions"), "2022-10-22");
}

TEST_F(CommitToNoPartitions, ThePartitionsAndTheDiskOfEachTableAreMeasured) {
    commit(full_batch(100));
    execute("CREATE TABLE of_somebody_else AS SELECT generate_series(1, 1000) AS n");
    await(store().maintain());
    const auto text = store().registry.serialize();
    const auto sample = [&](const std::string& series) { return sample_in(text, series); };
    EXPECT_EQ(sample("receiptd_partitions_from_timestamp_seconds"), 1'666'137'600) << "2022-10-19";
    EXPECT_EQ(sample("receiptd_partitions_until_timestamp_seconds"), 1'666'137'600 + 3 * 86'400);
    EXPECT_EQ(sample(R"(receiptd_partitions{table="events"})"), 3);
    for (const std::string table : {"receipts", "blocks", "alerts", "others"})
        for (const std::string part : {"table", "index"})
            EXPECT_GT(sample("receiptd_table_bytes{part=\"" + part + "\",table=\"" + table + "\"}"), 0)
                << table;
    EXPECT_EQ(
        std::to_string(static_cast<long>(sample(R"(receiptd_table_bytes{part="table",table="receipts"})"))),
        value("SELECT sum(table_bytes) FROM partitions WHERE table_name = 'receipts'"));
    EXPECT_EQ(text.find("of_somebody_else"), std::string::npos);
}

TEST_F(CommitToNoPartitions, MakesADroppedPartitionAgainWhenABatchNeedsIt) {
    commit(full_batch(100));
    execute("SELECT retire_partitions('2022-10-20', '2022-10-20') FROM generate_series(1, 9)");
    EXPECT_EQ(commit(full_batch(101)), CommitOutcome::committed);
    EXPECT_EQ(value("SELECT count(*) FROM receipts"), "1");
}

TEST_F(Commit, ForgetsThatAHeightWasUnavailableOnceItIsCovered) {
    await(store().blocks.want({100, 102}));
    await(store().blocks.record_unavailable({100, "UNKNOWN_BLOCK", "nobody has it", 1}));
    await(store().blocks.record_unavailable({101, "UNKNOWN_CHUNK", "chunk is gone", 1}));
    await(store().blocks.record_unavailable({101, "UNKNOWN_CHUNK", "chunk is still gone", 2}));
    EXPECT_EQ(rows("SELECT from_height, to_height, heights, reason, detail, attempts FROM gaps"),
              "100|100|1|UNKNOWN_BLOCK|nobody has it|1\n101|101|1|UNKNOWN_CHUNK|chunk is still gone|2\n"
              "102|102|1|not fetched yet|-|-\n");

    commit(block_batch(100));
    const auto unavailable = await(store().blocks.unavailable_heights(10));
    ASSERT_EQ(unavailable.size(), 1u);
    EXPECT_EQ(unavailable[0].height, 101u);
    EXPECT_EQ(unavailable[0].attempts, 2u);
    EXPECT_EQ(value("SELECT count(*) FROM gaps"), "2");
}

TEST_F(Commit, RefusesAnotherNetworkOrScope) {
    const auto refusal = [&](const std::string& network, const std::string& scope) {
        OpenStore other(database().url());
        try {
            await(other.check_identity(network, scope));
        } catch (const StorageError& e) {
            return std::string(e.what());
        }
        return std::string("none");
    };
    EXPECT_EQ(refusal("testnet", "all"), "none");
    EXPECT_THAT(refusal("mainnet", "all"),
                HasSubstr("holds the network \"testnet\", but chain.network is \"mainnet\""));
    EXPECT_THAT(refusal("testnet", "headers"), HasSubstr("follow.scope is \"headers\""));
}

TEST_F(Commit, KeepsTheFirstGenesisHashThatIsTold) {
    EXPECT_EQ(await(store().database.genesis_hash("")), "");
    EXPECT_EQ(await(store().database.genesis_hash("Gen")), "Gen");
    EXPECT_EQ(await(store().database.genesis_hash("Another")), "Gen");
    EXPECT_EQ(await(store().database.genesis_hash("")), "Gen");
}

class Unmigrated : public DatabaseTest {
protected:
    // The daemon's role is of the whole cluster: made with the first database that is migrated.
    void SetUp() override {
        DatabaseTest::SetUp();
        if (!IsSkipped()) migrated_template(database().maintenance_url());
    }
};

TEST_F(Unmigrated, DatabaseIsRefusedWithTheCure) {
    OpenStore store(database().url());
    try {
        await(store.check_identity("testnet", "all"));
        FAIL();
    } catch (const StorageError& e) {
        EXPECT_THAT(e.what(), HasSubstr("run `receiptd migrate`"));
    }
}

}  // namespace
}  // namespace receiptd::test
