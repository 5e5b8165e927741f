// Lists of transactions, gaps and backfills, and of which heights they are.
#include "alert_test_support.hpp"
#include "storage/pg_account_store.hpp"
#include "storage/pg_history_store.hpp"

#include <gmock/gmock.h>

namespace receiptd::test {
namespace {

using storage::AccountRole;
using storage::ListedTable;
using storage::TransactionFilter;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string kNow = "timestamptz '2022-10-19 12:00Z'";

struct Given {
    std::string id;
    std::string ago = "0";  // an interval before kNow
    std::string signer = "alice.near";
    std::string receiver = "bob.near";
    std::string user = "";
    std::string verdict = "succeeded";  // empty: none yet
    std::string method = "run";
    std::string error_class = "";
    std::string arrives_after = "1 s";  // its first receipt; empty: it has none
};

TransactionFilter of(const std::string& account, AccountRole role = AccountRole::user) {
    TransactionFilter filter;
    filter.account_id = account;
    filter.role = role;
    return filter;
}

std::string text_or_null(const std::string& text) { return text.empty() ? "NULL" : "'" + text + "'"; }

class History : public StoreTest {
protected:
    void SetUp() override {
        StoreTest::SetUp();
        if (IsSkipped()) return;
        commit_block_at(104, kNow);
        history_ = std::make_unique<storage::PgHistoryStore>(store().database);
    }
    void TearDown() override {
        history_.reset();
        StoreTest::TearDown();
    }
    storage::PgHistoryStore& history() { return *history_; }

    static std::string receipt_values(const std::string& id, const std::string& tx, const std::string& time,
                                      const std::string& role, const Given& given) {
        return "INSERT INTO receipts (receipt_id, tree_id, tx_hash, block_height, block_time, "
               "predecessor_id, "
               "receiver_id, role, status) VALUES ('" +
               id + "', '" + tx + "', '" + tx + "', 104, " + time + ", '" + given.signer + "', '" +
               given.receiver + "', '" + role + "', 'success_value');";
    }
    void add(const Given& given) {
        const auto time = "(" + kNow + " - interval '" + given.ago + "')";
        const auto arrival =
            "(" + time + " + interval '" + (given.arrives_after.empty() ? "0" : given.arrives_after) + "')";
        const auto first = given.arrives_after.empty() ? "" : "r" + given.id;
        std::string sql = "SELECT make_partitions(" + time + ", " + arrival + ");";
        sql +=
            "INSERT INTO transactions (tx_hash, tree_id, block_height, block_time, signer_id, receiver_id, "
            "nonce, "
            "initial_receipt_id, user_id) VALUES ('" +
            given.id + "', '" + given.id + "', 104, " + time + ", '" + given.signer + "', '" +
            given.receiver + "', 1, " + text_or_null(first) + ", " + text_or_null(given.user) + ");";
        if (!first.empty()) sql += receipt_values(first, given.id, arrival, "initial", given);
        if (!given.verdict.empty())
            sql +=
                "INSERT INTO transaction_results (tx_hash, tree_id, block_height, block_time, signer_id, "
                "receiver_id, "
                "verdict, near_status, method_name, error_class, included_height, completed_height, "
                "completed_time, "
                "settled_height, receipts, failed_receipts, gas_burnt, tokens_burnt) VALUES ('" +
                given.id + "', '" + given.id + "', 104, " + time + ", '" + given.signer + "', '" +
                given.receiver + "', '" + given.verdict + "', '" +
                (given.verdict == "failed" ? "failure" : "success") + "', '" + given.method + "', " +
                text_or_null(given.error_class) + ", 104, 105, " + arrival +
                ", 105, 1, 0, 10, 340282366920938463463374607431768211455);";
        execute(sql + "INSERT INTO block_marks VALUES (" + time + "::date, 1, " + time +
                ") ON CONFLICT DO NOTHING");
    }
    storage::TransactionPage page(TransactionFilter filter) {
        return await(history().list_transactions(std::move(filter)));
    }
    static std::vector<std::string> ids(const storage::TransactionPage& page) {
        std::vector<std::string> found;
        for (const auto& each : page.transactions) found.push_back(each.tx_hash);
        return found;
    }
    // All pages; the number of requests is left in `requests_`.
    std::vector<std::string> all(TransactionFilter filter) {
        std::vector<std::string> found;
        requests_ = 0;
        do {
            const auto part = page(filter);
            for (const auto& id : ids(part)) found.push_back(id);
            filter.cursor = part.next_cursor;
            ++requests_;
        } while (!filter.cursor.empty() && requests_ < 100);
        return found;
    }
    // What is planned for a look at the day before kNow.
    std::string plan_of(const TransactionFilter& filter) {
        auto sql = storage::look_of(filter);
        const std::vector<std::string> values = {"'" + filter.account_id + "'",
                                                 "1666094400000000",
                                                 "1666180800000000",
                                                 "''",
                                                 "100",
                                                 "''",
                                                 filter.verdict ? "'failed'" : "''",
                                                 "''",
                                                 "''",
                                                 "100"};
        for (std::size_t i = values.size(); i > 0; --i)
            for (auto at = sql.find("$" + std::to_string(i)); at != std::string::npos;
                 at = sql.find("$" + std::to_string(i)))
                sql.replace(at, 1 + std::to_string(i).size(), values[i - 1]);
        return rows("EXPLAIN (COSTS OFF) " + sql);
    }

    unsigned requests_ = 0;

private:
    std::unique_ptr<storage::PgHistoryStore> history_;
};

TEST_F(History, AnAccountFindsWhatItSentAndWhatItGot) {
    add({.id = "sent", .ago = "3 min"});
    add({.id = "got", .ago = "2 min", .signer = "carol.near", .receiver = "alice.near"});
    add({.id = "to-itself", .ago = "1 min", .receiver = "alice.near"});
    add({.id = "others", .signer = "carol.near"});
    EXPECT_THAT(all(of("alice.near", AccountRole::signer)), ElementsAre("to-itself", "sent"));
    EXPECT_THAT(all(of("alice.near", AccountRole::receiver)), ElementsAre("to-itself", "got"));
    EXPECT_THAT(all(of("alice.near")), ElementsAre("to-itself", "sent"));
    EXPECT_THAT(all(of("nobody.near", AccountRole::receiver)), IsEmpty());
}

TEST_F(History, AUserFindsWhatARelayerSentForIt) {
    add({.id = "relayed",
         .ago = "2 min",
         .signer = "relayer.near",
         .receiver = "alice.near",
         .user = "alice.near"});
    add({.id = "own", .ago = "1 min", .signer = "relayer.near"});
    EXPECT_THAT(all(of("alice.near")), ElementsAre("relayed"));
    EXPECT_THAT(all(of("alice.near", AccountRole::signer)), IsEmpty());
    EXPECT_THAT(all(of("relayer.near")), ElementsAre("own"));
    EXPECT_THAT(all(of("relayer.near", AccountRole::signer)), ElementsAre("own", "relayed"));
    EXPECT_EQ(page(of("alice.near")).transactions[0].user_id, "alice.near");
}

TEST_F(History, AReceiverFindsTransactionsThatMadeNoReceipt) {
    add({.id = "refused", .verdict = "failed", .arrives_after = ""});
    add({.id = "arrived-late", .ago = "3 days", .arrives_after = "2 days"});
    EXPECT_THAT(all(of("bob.near", AccountRole::receiver)), ElementsAre("refused", "arrived-late"));
}

TEST_F(History, ATransactionIsListedWithItsResult) {
    add({.id = "judged", .ago = "1 min", .verdict = "callback_failed", .error_class = "contract_panic"});
    add({.id = "waits", .verdict = ""});
    const auto listed = page(of("alice.near")).transactions;
    ASSERT_EQ(listed.size(), 2u);
    EXPECT_EQ(listed[0].verdict, "");
    EXPECT_FALSE(listed[0].completed_height);
    EXPECT_EQ(listed[1].verdict, "callback_failed");
    EXPECT_EQ(listed[1].near_status, "success");
    EXPECT_EQ(listed[1].error_class, "contract_panic");
    EXPECT_EQ(listed[1].method_name, "run");
    EXPECT_EQ(listed[1].completed_height, 105);
    EXPECT_EQ(listed[1].tokens_burnt, "340282366920938463463374607431768211455");
    EXPECT_EQ(listed[1].block_time, "2022-10-19T11:59:00.000000Z");
    EXPECT_EQ(listed[1].cursor, "2022-10-19T11:59:00.000000Z,judged");
}

TEST_F(History, PagesFollowEachOtherThroughYears) {
    for (const std::string ago : {"0", "1 h", "20 days", "60 days", "390 days", "700 days", "2000 days"})
        for (const std::string id : {"a", "b", "c"}) add({.id = id + ago, .ago = ago});
    auto filter = of("alice.near");
    for (const unsigned limit : {1u, 2u, 100u}) {
        filter.limit = limit;
        EXPECT_THAT(all(filter), ElementsAre("c0", "b0", "a0", "c1 h", "b1 h", "a1 h", "c20 days", "b20 days",
                                             "a20 days", "c60 days", "b60 days", "a60 days", "c390 days",
                                             "b390 days", "a390 days", "c700 days", "b700 days", "a700 days",
                                             "c2000 days", "b2000 days", "a2000 days"))
            << limit;
    }
    EXPECT_GT(requests_, 1u) << "one request looks at a year, not at all of them";
    filter.since = "2022-08-20T12:00:00Z";
    filter.until = "2022-10-19T11:00:00Z";
    EXPECT_THAT(all(filter),
                ElementsAre("c20 days", "b20 days", "a20 days", "c60 days", "b60 days", "a60 days"));
    filter.cursor = "2022-10-19T11:59:00.000000Z,x";
    EXPECT_THAT(all(filter),
                ElementsAre("c20 days", "b20 days", "a20 days", "c60 days", "b60 days", "a60 days"));
}

TEST_F(History, FiltersAskTheResult) {
    add({.id = "good", .ago = "4 min"});
    add({.id = "bad", .ago = "3 min", .verdict = "failed", .method = "swap", .error_class = "gas_exceeded"});
    add({.id = "half",
         .ago = "2 min",
         .verdict = "callback_failed",
         .method = "swap",
         .error_class = "contract_panic"});
    add({.id = "waits", .ago = "1 min", .verdict = ""});
    const auto chosen = [&](auto&& choose) {
        auto filter = of("alice.near");
        choose(filter);
        return all(filter);
    };
    EXPECT_THAT(chosen([](auto& f) { f.verdict = chain::Verdict::succeeded; }), ElementsAre("good"));
    EXPECT_THAT(chosen([](auto& f) { f.method_name = "swap"; }), ElementsAre("half", "bad"));
    EXPECT_THAT(chosen([](auto& f) { f.near_status = "failure"; }), ElementsAre("bad"));
    EXPECT_THAT(chosen([](auto& f) { f.error_class = "contract_panic"; }), ElementsAre("half"));
    TransactionFilter failures;
    failures.verdict = chain::Verdict::failed;
    EXPECT_THAT(all(failures), ElementsAre("bad"));
    TransactionFilter day;
    day.since = "2022-10-19T00:00:00Z";
    day.until = "2022-10-19T11:59:00Z";
    EXPECT_THAT(all(day), ElementsAre("half", "bad", "good"));
}

// However seldom a filter fits, one request reads a bounded number of rows, and the next one goes on.
TEST_F(History, WhatFitsSeldomIsFoundByFurtherRequests) {
    add({.id = "needle", .ago = "10 h", .verdict = "failed"});
    execute(
        "INSERT INTO transactions (tx_hash, tree_id, block_height, block_time, signer_id, receiver_id, "
        "nonce) "
        "SELECT 'hay' || n, 'hay' || n, 104, " +
        kNow +
        " - n * interval '1 second', 'alice.near', 'bob.near', n "
        "FROM generate_series(1, 12000) n");
    auto filter = of("alice.near");
    filter.verdict = chain::Verdict::failed;
    const auto first = page(filter);
    EXPECT_THAT(first.transactions, IsEmpty());
    EXPECT_FALSE(first.next_cursor.empty());
    EXPECT_THAT(all(filter), ElementsAre("needle"));
    EXPECT_EQ(requests_, 3u);
}

TEST_F(History, ManyReceiptsOfOneTransactionInABlockHideNone) {
    add({.id = "T", .ago = "10 s"});
    add({.id = "S", .ago = "10 s"});
    for (int i = 0; i < 300; ++i)
        for (const std::string tx : {"S", "T"})
            execute(receipt_values("call" + tx + std::to_string(i), tx, kNow + " - interval '9 s'",
                                   "callback", {.id = tx}));
    auto filter = of("bob.near", AccountRole::receiver);
    filter.limit = 1;
    EXPECT_THAT(all(filter), ElementsAre("T", "S"));
}

TEST_F(History, ALookReadsThePartitionsOfItsTimeByAnIndex) {
    for (int day = 0; day < 30; ++day)
        execute("SELECT make_partitions(d, d) FROM (SELECT (" + kNow + " - interval '" + std::to_string(day) +
                " days')::date AS d) x");
    const auto count = [](const std::string& plan, const std::string& table) {
        std::set<std::string> found;
        for (auto at = plan.find(" on " + table + "_"); at != std::string::npos;
             at = plan.find(" on " + table + "_", at + 1))
            found.insert(plan.substr(at, plan.find(' ', at + 4) - at));
        return found.size();
    };
    for (const auto role : {AccountRole::user, AccountRole::signer, AccountRole::receiver}) {
        const auto plan = plan_of(of("alice.near", role));
        EXPECT_LE(count(plan, "transactions"), 9u) << plan;  // a week and the day itself
        EXPECT_LE(count(plan, "transaction_results"), 9u) << plan;
        EXPECT_LE(count(plan, "receipts"), 2u) << plan;
    }
    EXPECT_THAT(plan_of(of("alice.near", AccountRole::signer)), HasSubstr("signer_id_block_time_idx"));
    EXPECT_THAT(plan_of(of("alice.near", AccountRole::receiver)), HasSubstr("receiver_id_block_time_idx"));
}

TEST_F(History, KnownHeightsAreThoseThatAreStoredAndKept) {
    commit(block_batch(106, 105));
    auto known = await(history().known_heights("alice.near", ListedTable::transactions));
    EXPECT_TRUE(known.followed);
    ASSERT_EQ(known.ranges.size(), 2u);
    EXPECT_EQ(known.ranges[0].from, 106u);
    EXPECT_EQ(known.ranges[1].to, 104u);
    EXPECT_EQ(known.pruned_before, "");
    EXPECT_NE(known.since, "");
    execute("INSERT INTO pruned VALUES ('transactions', '2030-01-01')");
    known = await(history().known_heights("alice.near", ListedTable::transactions));
    EXPECT_THAT(known.ranges, IsEmpty());
    EXPECT_EQ(known.pruned_before, "2030-01-01T00:00:00.000000Z");
    EXPECT_EQ(known.since, "");
    EXPECT_EQ(await(history().known_heights("", ListedTable::findings)).ranges.size(), 2u);
}

TEST_F(History, OfAnAccountThatIsNotFollowedNothingIsKnown) {
    execute("UPDATE chain_identity SET scope = 'accounts'");
    await(store().database.follow_accounts({"a.near"}));
    execute("UPDATE followed_accounts SET not_whole = '{[50,104)}'");
    EXPECT_FALSE(await(history().known_heights("b.near", ListedTable::transactions)).followed);
    EXPECT_THAT(await(history().known_heights("b.near", ListedTable::transactions)).ranges, IsEmpty());
    for (const std::string account : {"a.near", ""}) {
        const auto known = await(history().known_heights(account, ListedTable::transactions));
        EXPECT_TRUE(known.followed);
        ASSERT_EQ(known.ranges.size(), 1u);
        EXPECT_EQ(known.ranges[0].from, 104u);
    }
    execute("UPDATE chain_identity SET scope = 'headers'");
    EXPECT_THAT(await(history().known_heights("a.near", ListedTable::transactions)).ranges, IsEmpty());
}

TEST_F(History, GapsAndOrdersAreListed) {
    await(store().blocks.want({90, 103}));
    await(store().blocks.record_unavailable({95, "UNKNOWN_CHUNK", "host a", 1}));
    const auto gaps = await(history().list_gaps(-1, 10));
    ASSERT_EQ(gaps.size(), 3u);
    EXPECT_EQ(gaps[1].reason, "UNKNOWN_CHUNK");
    EXPECT_EQ(gaps[1].detail, "host a");
    EXPECT_EQ(gaps[1].attempts, 1);
    EXPECT_EQ(await(history().list_gaps(gaps[0].from_height, 1))[0].from_height, 95);
    await(store().backfills.claim_backfill({80, 89}));
    await(store().backfills.claim_fill({90, 104}, {"a.near", "b.near"}));
    const auto orders = await(history().list_backfills(1'000, 10));
    ASSERT_EQ(orders.size(), 2u);
    EXPECT_THAT(orders[0].accounts, ElementsAre("a.near", "b.near"));
    EXPECT_FALSE(orders[0].heights_left);
    EXPECT_EQ(orders[1].heights_left, 10);
    EXPECT_TRUE(orders[1].leased);
    EXPECT_FALSE(orders[1].finished);
}

TEST_F(History, OddCursorsAndTimesAreRefusedOrEmpty) {
    add({.id = "T"});
    auto filter = of("alice.near");
    filter.cursor = "'; DROP TABLE transactions";
    EXPECT_THROW(page(filter), storage::StorageError);
    filter.cursor = "0001-01-01T00:00:00.000000Z,0";
    EXPECT_THAT(all(filter), IsEmpty());
    filter.cursor.clear();
    for (const auto& [since, until] :
         {std::pair{"9999-12-31T23:59:59-14:00", ""}, std::pair{"", "0001-01-01T00:00:00+14:00"},
          std::pair{"2023-01-01T00:00:00Z", "2022-01-01T00:00:00Z"}}) {
        filter.since = since;
        filter.until = until;
        EXPECT_THAT(all(filter), IsEmpty()) << since << until;
    }
    filter.since = "0001-01-01T00:00:00Z";
    filter.until = "9999-12-31T23:59:59Z";
    EXPECT_THAT(all(filter), ElementsAre("T"));
}

}  // namespace
}  // namespace receiptd::test
