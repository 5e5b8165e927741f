// A row that fails because of its own data is set aside, where people see it; the others go on.
#include "alert_test_support.hpp"
#include "storage/stored_trees.hpp"
#include "timed_test_support.hpp"

#include <gmock/gmock.h>

namespace receiptd::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kSetAside = "SELECT what, id, times FROM set_aside ORDER BY 1, 2";

// A table whose row of that condition the database refuses, as it does odd data.
std::string poison(const std::string& table, const std::string& on, const std::string& condition) {
    return "CREATE FUNCTION poisoned() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
           "RAISE data_exception USING MESSAGE = 'poisoned'; END $$; CREATE TRIGGER poison BEFORE " +
           on + " ON " + table + " FOR EACH ROW WHEN (" + condition + ") EXECUTE FUNCTION poisoned()";
}
std::string heal(const std::string& table) {
    return "DROP TRIGGER poison ON " + table + "; DROP FUNCTION poisoned()";
}

class SetAsideDeliveries : public AlertsTest {
protected:
    void save() { await(process().database.keep_alive()); }
    // A claim asks for the finding of every alert.
    void make_unreadable(const std::string& alert_id) {
        execute(
            "CREATE OR REPLACE FUNCTION finding_of(told alerts) RETURNS text LANGUAGE sql AS $$ "
            "SELECT CASE told.alert_id WHEN '" +
            alert_id + "' THEN (1 / (length(told.kind) - length(told.kind)))::text ELSE '' END $$");
    }
};

TEST_F(SetAsideDeliveries, OneThatCannotBeReadHoldsUpNoOther) {
    for (const auto* id : {"a", "b", "c", "d"}) queue(id);
    make_unreadable("b");
    EXPECT_THAT(process().claimed_ids(5), testing::UnorderedElementsAre("a", "c", "d"));
    EXPECT_EQ(state_of("b"), "pending|1|-|set aside: ERROR:  division by zero\n");
    EXPECT_EQ(
        value("SELECT next_attempt_at > now() + interval '20 seconds' FROM deliveries WHERE alert_id = 'b'"),
        "t");
    save();
    EXPECT_EQ(rows(kSetAside), "delivery|b ops|1\n");
    EXPECT_THAT(process().registry.serialize(), HasSubstr("receiptd_set_aside{what=\"delivery\"} 1"));
    make_unreadable("none");
    execute("UPDATE deliveries SET next_attempt_at = now() WHERE alert_id = 'b'");
    EXPECT_THAT(process().claimed_ids(5), ElementsAre("b"));
    record(process(), delivered("b"));
    EXPECT_EQ(rows(kSetAside), "");
}

TEST_F(SetAsideDeliveries, NoMoreAreClaimedThanThereIsRoomFor) {
    for (const auto* id : {"a", "b", "c", "d", "e"}) queue(id);
    make_unreadable("c");
    EXPECT_EQ(process().claim(3).size(), 2U);
    EXPECT_EQ(process().claim(3).size(), 2U);
}

TEST_F(SetAsideDeliveries, OneThatIsUnreadableForFourDaysIsDead) {
    queue("old", 5 * 86'400);
    make_unreadable("old");
    EXPECT_THAT(process().claimed_ids(5), ElementsAre());
    EXPECT_EQ(value("SELECT state || ' ' || dead_because FROM deliveries"), "dead attempts");
}

TEST_F(SetAsideDeliveries, ABodyThatCannotBeKeptIsSentAndKeepsNoOther) {
    for (const auto* id : {"a", "b", "c"}) queue(id);
    const auto kept = await(process().deliveries.keep_payloads({{"a", "A"}, {"b", "\xff"}, {"c", "C"}}));
    EXPECT_FALSE(kept.contains("b"));
    EXPECT_EQ(rows("SELECT alert_id, payload FROM alerts ORDER BY 1"), "a|A\nb|-\nc|C\n");
    save();
    EXPECT_EQ(rows(kSetAside), "alert|b|1\n");
}

TEST_F(SetAsideDeliveries, AreForgottenAWeekAfterTheLastTime) {
    execute(
        "INSERT INTO set_aside_rows (what, id, reason, times, last_at) VALUES "
        "('stored_tree', 'old', '', 1, now() - interval '8 days'), ('stored_tree', 'new', '', 1, now())");
    save();
    EXPECT_EQ(rows(kSetAside), "stored_tree|new|1\n");
}

TEST_F(SetAsideDeliveries, AreCountedWithWhatOtherDaemonsSetAside) {
    other().database.set_aside.put(storage::Aside::stored_tree, std::string("a\0b", 3), "so");
    other().database.set_aside.put(storage::Aside::stored_tree, std::string("a\0b", 3), "so again");
    await(other().database.keep_alive());
    const auto joined = await(process().database.keep_alive());
    EXPECT_EQ(joined.set_aside.at("stored_tree"), 1U);
    EXPECT_EQ(rows("SELECT what, id, reason, times FROM set_aside"), "stored_tree|a\u2400b|so again|2\n");
    process().database.set_aside.done(storage::Aside::stored_tree, std::string("a\0b", 3));
    save();
    EXPECT_EQ(rows(kSetAside), "");
}

class SetAsideRows : public WatchStoreTest {
protected:
    void save() { await(store().database.keep_alive()); }
};

TEST_F(SetAsideRows, AnOrphanThatCannotBeAdoptedKeepsNoOther) {
    commit(block_batch(100));
    for (const std::string id : {"A", "B", "C"}) {
        auto parent = block_batch(101 + static_cast<base::Height>(id[0] - 'A'));
        add_receipt(parent, 101 + static_cast<base::Height>(id[0] - 'A'),
                    {"P" + id, "T" + id, "T" + id, "", "initial", "{" + id + "}", "alice.near", "bob.near",
                     "success_value", "[]", "", "", "", "", false});
        commit(std::move(parent));
    }
    auto orphans = block_batch(104);
    for (const std::string id : {"A", "B", "C"})
        add_receipt(
            orphans, 104,
            {id, id, "", "", "", "{}", "bob.near", "bob.near", "success_value", "[]", "", "", "", "", true});
    commit(std::move(orphans));
    const std::string parents =
        "SELECT receipt_id, parent_receipt_id, tree_id FROM receipts WHERE block_height = 104 ORDER BY 1";
    execute(poison("receipts", "UPDATE OF parent_receipt_id",
                   "NEW.receipt_id = 'B' AND NEW.parent_receipt_id IS NOT NULL"));
    await(store().orphans.adopt_orphans({104, 104}));
    EXPECT_EQ(rows(parents), "A|PA|TA\nB|-|B\nC|PC|TC\n");
    save();
    EXPECT_EQ(rows(kSetAside), "orphan|B|1\n");
    execute(heal("receipts"));
    await(store().orphans.adopt_orphans({104, 104}));
    EXPECT_EQ(rows(parents), "A|PA|TA\nB|PB|TB\nC|PC|TC\n");
    EXPECT_EQ(rows(kSetAside), "");
}

TEST_F(SetAsideRows, AWatchOfARuleThatIsNoTransactionKeepsNoOther) {
    auto batch = block_batch(100);
    batch.watches = {{hash_of(1), "alice.near", "shop"},
                     {"no hash", "alice.near", "shop"},
                     {hash_of(3), "No Account", "shop"}};
    commit(std::move(batch));
    await(watches().make_wanted_watches());
    EXPECT_EQ(rows("SELECT tx_hash FROM watches"), hash_of(1) + "\n");
    save();
    EXPECT_EQ(rows("SELECT what, id FROM set_aside ORDER BY id = 'no hash'"),
              "watch|" + hash_of(3) + "\nwatch|no hash\n");
}

TEST_F(SetAsideRows, HeightsAndTreesThatTheDatabaseRefusesAreAmongThem) {
    await(store().blocks.record_unavailable({7, "refused_by_database", "a host: a value", 2}));
    await(store().blocks.record_unavailable({8, "not_found", "", 2}));
    execute(
        "INSERT INTO pending_trees (tx_hash, sender_id, block_height, block_hash, block_time, "
        "timestamp_nanosec, "
        "attempts, reason) VALUES ('T', 'a.near', 7, 'H', now(), 1, 3, 'refused_by_database: a value'), "
        "('U', 'a.near', 7, 'H', now(), 1, 3, 'unknown to all hosts')");
    EXPECT_EQ(rows(kSetAside), "block|7|2\ntree|T|3\n");
}

TEST_F(TimedRulesTest, ARuleThatCannotBeJudgedKeepsNoOther) {
    declare({kAbsentCalls, R"({"name":"other","kind":"absence","receiver":"shop.near","for":"2m"})"});
    follow(1, 230, {50, 100});
    execute(poison("timed_episodes", "INSERT", "NEW.rule = 'calls'"));
    const auto report = evaluate(230);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->rules, (std::map<TimedState, std::uint64_t>{{TimedState::alert, 1}}));
    EXPECT_EQ(rows("SELECT rule FROM timed_episodes"), "other\n");
    await(store().database.keep_alive());
    EXPECT_EQ(rows(kSetAside), "timed_rule|calls|1\n");
}

}  // namespace
}  // namespace receiptd::test
