// Sessions of others hold up nothing but the one watch whose row they hold, and are named.
#include "watch_test_support.hpp"

#include "storage/errors.hpp"
#include "storage/in_the_way.hpp"
#include "storage/locks.hpp"

#include <gmock/gmock.h>

#include <future>
#include <optional>

namespace receiptd::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// A session of a program, in a transaction that does not end.
struct Stranger {
    explicit Stranger(const std::string& url) : connection(storage::shim::connect(url)), tx(*connection) {
        tx.exec("SET application_name = 'shop'");
    }
    void hold(std::uint32_t number) {
        tx.exec("INSERT INTO watches (tx_hash, sender_id) VALUES ('" + hash_of(number) + "', 'x.near')");
    }
    std::unique_ptr<pqxx::connection> connection;
    pqxx::work tx;
};

class WantedWatches : public WatchStoreTest {
protected:
    static RowBatch wanting(base::Height height, std::initializer_list<std::uint32_t> numbers) {
        auto batch = block_batch(height);
        for (const auto number : numbers) batch.watches.push_back({hash_of(number), "alice.near", "shop"});
        return batch;
    }
    void make() { await(watches().make_wanted_watches()); }
    std::string made() {
        return rows("SELECT sender_id, origin, rule, count(*) FROM watches GROUP BY 1, 2, 3 ORDER BY 1");
    }
    std::string wanted() { return value("SELECT count(*) FROM wanted_watches"); }
    void become_due() { execute("UPDATE wanted_watches SET next_try_at = now()"); }
};

TEST_F(WantedWatches, AreStoredWithTheirBlockAndMadeOnce) {
    EXPECT_EQ(commit(wanting(100, {1, 2})), CommitOutcome::committed);
    EXPECT_EQ(made(), "") << "the block waits for no watch";
    add({new_watch(2, "bob.near")});
    make();
    EXPECT_EQ(made(), "alice.near|rule|shop|1\nbob.near|hash|-|1\n");
    EXPECT_EQ(wanted(), "0");
}

TEST_F(WantedWatches, OfABlockThatAnotherDaemonHasStoredAreWantedToo) {
    commit(block_batch(100));
    EXPECT_EQ(commit(wanting(100, {1})), CommitOutcome::already_covered);
    make();
    EXPECT_EQ(made(), "alice.near|rule|shop|1\n");
}

TEST_F(WantedWatches, ForTheUserThatARelayerNamesWaitUntilThatOneHasSigned) {
    auto block = wanting(100, {1, 2, 3});
    for (auto& watch : block.watches) watch.claimed_at = block.facts.blocks.back().timestamp_nanosec;
    commit(std::move(block));
    make();
    EXPECT_EQ(made(), "") << "anybody can name anyone";
    auto next = block_batch(101);
    for (const std::uint32_t number : {1, 2}) {
        const auto tx_hash = hash_of(number);
        ReceiptRow initial{"R" + tx_hash, tx_hash, tx_hash, "", "initial"};
        if (number == 2) initial.status = "failure";
        add_receipt(next, 101, initial);
    }
    commit(std::move(next));
    make();
    EXPECT_EQ(made(), "alice.near|rule|shop|1\n");
    EXPECT_EQ(value("SELECT tx_hash FROM watches"), hash_of(1));
    EXPECT_EQ(wanted(), "1") << "of the third nothing is known yet";
    execute("UPDATE wanted_watches SET created_at = created_at - interval '2 days'");
    make();
    EXPECT_EQ(wanted(), "0");
}

TEST_F(WantedWatches, ARowThatASessionHoldsHoldsUpNoBlockAndNoOtherWatch) {
    std::optional<Stranger> stranger(database().url());
    for (const std::uint32_t number : {3, 7}) stranger->hold(number);
    EXPECT_EQ(commit(wanting(100, {1, 2, 3, 4, 5, 6, 7, 8})), CommitOutcome::committed);
    make();
    EXPECT_EQ(made(), "alice.near|rule|shop|6\n");
    make();
    EXPECT_EQ(wanted(), "2") << "they are tried again later";
    stranger.reset();
    become_due();
    make();
    EXPECT_EQ(made(), "alice.near|rule|shop|8\n");
}

TEST_F(WantedWatches, ARowThatTheSessionCommitsIsTheWatch) {
    Stranger stranger(database().url());
    stranger.hold(1);
    commit(wanting(100, {1}));
    make();
    stranger.tx.commit();
    become_due();
    make();
    EXPECT_EQ(made(), "x.near|hash|-|1\n");
    EXPECT_EQ(wanted(), "0");
}

TEST_F(WantedWatches, OneThatTheDatabaseRefusesIsLeftOut) {
    execute("ALTER TABLE watches ADD CHECK (rule <> 'refused')");
    auto batch = wanting(100, {1, 2, 3});
    batch.watches[1].rule = "refused";
    commit(std::move(batch));
    make();
    EXPECT_EQ(made(), "alice.near|rule|shop|2\n");
    EXPECT_EQ(wanted(), "0");
}

TEST_F(WantedWatches, WhatPeopleAddFailsSoonWhereASessionHoldsTheRow) {
    Stranger stranger(database().url());
    stranger.hold(1);
    try {
        add({new_watch(1)});
        FAIL() << "it was held";
    } catch (const storage::StorageTimeout& error) {
        EXPECT_THAT(error.what(), HasSubstr("(shop)"));
    }
    EXPECT_EQ(add({new_watch(2)}).size(), 1u);
}

class HeldUp : public WantedWatches {
protected:
    std::optional<storage::HeldUp> now() { return await(store().database.held_up()); }
    storage::HeldUp once_there() {
        while (true)
            if (const auto found = now()) return *found;
    }
};

TEST_F(HeldUp, NothingIsWhileNobodyWaits) {
    Stranger stranger(database().url());
    stranger.hold(1);
    EXPECT_EQ(now(), std::nullopt);
}

TEST_F(HeldUp, AStatementThatWaitsIsNamedWithTheSessionThatItWaitsFor) {
    Stranger stranger(database().url());
    stranger.tx.exec("LOCK TABLE coverage IN EXCLUSIVE MODE");
    auto writing = std::async(std::launch::async, [&] { return commit(block_batch(100)); });
    const auto held = once_there();
    EXPECT_EQ(held.what, "a statement") << "the test's role does not see its text";
    EXPECT_THAT(held.by, HasSubstr("(shop)"));
    stranger.tx.abort();
    EXPECT_EQ(writing.get(), CommitOutcome::committed);
}

TEST_F(HeldUp, SessionsOfTheDaemonThatWaitForEachOtherAreNot) {
    storage::PgOrphanStore orphans(store().database);
    const auto daemon = storage::shim::connect(database().url() + "?application_name=receiptd");
    pqxx::work adopting(*daemon);
    storage::take_lock(adopting, "adoption");
    auto waiting = std::async(std::launch::async, [&] { await(orphans.adopt_orphans({100, 101})); });
    wait_until(
        database().url(),
        "SELECT FROM pg_locks WHERE NOT granted AND waitstart < clock_timestamp() - interval '2 seconds'");
    EXPECT_EQ(now(), std::nullopt);
    adopting.abort();
    waiting.get();
}

TEST_F(HeldUp, TheWatchOfARuleIsNamedWithTheSessionThatHoldsItsRow) {
    Stranger stranger(database().url());
    stranger.hold(1);
    commit(wanting(100, {1}));
    make();
    EXPECT_EQ(now(), std::nullopt) << "it is tried again first";
    execute("UPDATE wanted_watches SET created_at = created_at - interval '3 seconds'");
    const auto held = now();
    ASSERT_TRUE(held);
    EXPECT_EQ(held->what, "1 watches that rules ask for");
    EXPECT_THAT(held->by, HasSubstr("(shop)"));
    EXPECT_THAT(held->by, Not(HasSubstr("(receiptd)")));
}

}  // namespace
}  // namespace receiptd::test
