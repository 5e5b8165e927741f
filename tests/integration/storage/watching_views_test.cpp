// The rows of the views over what was judged and watched.
#include "store_test_support.hpp"

namespace receiptd::test {
namespace {

class WatchingViews : public StoreTest {
protected:
    void SetUp() override {
        StoreTest::SetUp();
        if (IsSkipped()) return;
        execute("SELECT make_partitions('2026-01-01Z', '2026-01-01Z')");
        block("00:00");
    }

    // A time of 2026-01-01, "00:00" to "23:59:59".
    static std::string at(const std::string& time) { return "'2026-01-01 " + time + "Z'"; }

    void block(const std::string& time) {
        execute(
            "INSERT INTO blocks (block_height, block_hash, prev_hash, block_time, timestamp_nanosec) VALUES "
            "(1, "
            "'h', 'p', " +
            at(time) + ", 0)");
    }

    struct Failure {
        std::string id, role = "callback", handled = "false", kind = "failed_receipt", method = "on_done",
                        time = "00:10", contract = "app.near";
    };
    void finding(const Failure& f) {
        execute(
            "INSERT INTO findings (finding_id, kind, tx_hash, tree_id, receipt_id, role, handled, "
            "contract_id, "
            "method_name, signer_id, error_class, error_text, block_height, block_time) VALUES ('" +
            f.kind + ":" + f.id + "', '" + f.kind + "', 'T', 'T', '" + f.id + "', nullif('" + f.role +
            "', ''), " + f.handled + ", '" + f.contract + "', '" + f.method +
            "', 'alice.near', 'gas_exceeded', 'Exceeded', 7, " + at(f.time) + ")");
    }

    struct Executed {
        std::string id, status = "success_value", method = "'run'", role = "promise", time = "00:10",
                        contract = "app.near", actions = "[\"CreateAccount\"]";
    };
    void receipt(const Executed& r) {
        execute(
            "INSERT INTO receipts (receipt_id, tree_id, block_time, receiver_id, role, method_name, actions, "
            "status) VALUES ('" +
            r.id + "', 'T', " + at(r.time) + ", '" + r.contract + "', '" + r.role + "', " + r.method + ", '" +
            r.actions + "', '" + r.status + "')");
    }

    void watch(char which, const std::string& columns, const std::string& values) {
        execute("INSERT INTO watches (tx_hash, sender_id, " + columns + ") VALUES ('" + hash(which) +
                "', 'alice.near', " + values + ")");
    }
    static std::string hash(char which) { return std::string(40, which); }

    // `block_time`: "00:00:01", or empty where no block proves it.
    void transition(char which, const std::string& from, const std::string& to, const std::string& time,
                    const std::string& block_time = "") {
        execute("INSERT INTO watch_transitions VALUES ('" + hash(which) + "', '" + from + "', '" + to +
                "', " + at(time) + ", 7, " + (block_time.empty() ? "NULL" : at(block_time)) + ", '{}')");
    }

    struct Sent {
        std::string nonce, height, key = "k", index = "NULL", signer = "alice.near",
                                   status = "success_receipt_id", gas = "1";
    };
    void transactions(const std::vector<Sent>& all) {
        for (const auto& t : all)
            execute(
                "INSERT INTO transactions (tx_hash, tree_id, block_height, block_time, signer_id, "
                "receiver_id, "
                "nonce, public_key, nonce_index, status, gas_burnt) SELECT id, id, " +
                t.height + ", " + at("00:00") + ", '" + t.signer + "', 'bob.near', " + t.nonce + ", '" +
                t.key + "', " + t.index + ", '" + t.status + "', " + t.gas +
                " FROM (SELECT 't' || count(*) + 1 AS id FROM transactions) n");
    }
    std::string gaps(const std::string& asked = "'-infinity'") {
        return rows(
            "SELECT signer_id, public_key, nonce_index, from_nonce, to_nonce, nonces, next_tx_hash, "
            "next_block_height FROM nonce_gaps(" +
            asked + ") ORDER BY 1, 2, 3, 4");
    }

    std::string latency() {
        return rows(
            "SELECT hour AT TIME ZONE 'UTC', stage, stays, p50_seconds, p95_seconds, p99_seconds "
            "FROM stage_latency ORDER BY 1, 2");
    }
    std::string health(const std::string& asked = "'-infinity'") {
        return rows(
            "SELECT to_char(hour AT TIME ZONE 'UTC', 'HH24:MI'), contract_id, method_name, calls, failures, "
            "failed_callbacks FROM contract_health(" +
            asked + ") ORDER BY 1, 2, 3");
    }
};

TEST_F(WatchingViews, FailedCallbacksAreNoOtherFailures) {
    finding({"lost"});
    finding({"handled", "promise", "true"});
    finding({"promise", "promise"});
    finding({"T", "", "false", "failed_transaction"});
    EXPECT_EQ(rows("SELECT * FROM failed_callbacks"),
              "failed_receipt:lost|T|lost|app.near|on_done|alice.near|gas_exceeded|Exceeded|7|2026-01-01 "
              "00:10:00+00\n");
}

TEST_F(WatchingViews, HandledFailuresAreOfAnyRole) {
    finding({"lost"});
    finding({"one", "returned", "true"});
    finding({"two", "promise", "true"});
    finding({"T", "", "false", "failed_transaction"});
    EXPECT_EQ(rows("SELECT * FROM handled_failures ORDER BY finding_id"),
              "failed_receipt:one|T|one|returned|app.near|on_done|alice.near|gas_exceeded|Exceeded|7|"
              "2026-01-01 00:10:00+00\n"
              "failed_receipt:two|T|two|promise|app.near|on_done|alice.near|gas_exceeded|Exceeded|7|"
              "2026-01-01 00:10:00+00\n");
}

TEST_F(WatchingViews, OpenWatchesHaveNotEndedAndStuckOnesAreTooLongWhereTheyAre) {
    const std::string stages[] = {"accepted",  "pending", "included", "executing",
                                  "completed", "final",   "rejected", "forwarding_failed",
                                  "dropped",   "expired", "unknown"};
    char which = 'a';
    for (const auto& stage : stages) {
        watch(which++,
              "stage, stage_since, stuck_since, origin, rule, checks, next_check_at, created_at, evidence",
              "'" + stage + "', " + at("00:05") + ", NULL, 'rule', 'mine', 3, " + at("00:07") + ", " +
                  at("00:01") + ", '{\"a\":1}'");
    }
    execute("UPDATE watches SET stuck_since = " + at("00:06") + " WHERE stage IN ('pending', 'final')");
    std::string open, stuck;
    for (int i = 0; i < 5; ++i) {
        const auto id = hash(static_cast<char>('a' + i));
        const bool is_stuck = stages[i] == "pending";
        open += id + "|alice.near|" + stages[i] + "|2026-01-01 00:05:00+00|" + (is_stuck ? "t" : "f") +
                "|rule|mine|3|2026-01-01 00:07:00+00|2026-01-01 00:01:00+00|{\"a\":1}\n";
        if (is_stuck)
            stuck +=
                id +
                "|alice.near|pending|2026-01-01 00:05:00+00|2026-01-01 00:06:00+00|rule|mine|3|{\"a\":1}\n";
    }
    EXPECT_EQ(
        rows("SELECT tx_hash, sender_id, stage, stage_since, stuck, origin, rule, checks, next_check_at, "
             "created_at, evidence FROM open_watches ORDER BY 1"),
        open);
    EXPECT_EQ(
        rows("SELECT tx_hash, sender_id, stage, stage_since, stuck_since, origin, rule, checks, evidence "
             "FROM stuck_watches"),
        stuck);
    EXPECT_EQ(value("SELECT count(*) FROM open_watches JOIN stuck_watches USING (in_stage_for) "
                    "WHERE in_stage_for = now() - " +
                    at("00:05")),
              "5");
}

TEST_F(WatchingViews, StageLatencyBeginsWithTheWatchAndCountsTheHourItEndsIn) {
    watch('a', "created_at", at("00:59:50"));
    transition('a', "accepted", "included", "01:00:00", "00:59:58");
    transition('a', "included", "executing", "01:00:03", "00:59:59");
    transition('a', "executing", "dropped", "02:30:03");
    EXPECT_EQ(latency(),
              "2026-01-01 01:00:00|accepted|1|10|10|10\n"
              "2026-01-01 01:00:00|included|1|1|1|1\n"
              "2026-01-01 02:00:00|executing|1|5400|5400|5400\n")
        << "in chain time where blocks prove both ends, else as it was learned";
}

TEST_F(WatchingViews, StageLatencyHasPercentilesBetweenNeighbours) {
    for (int i = 0; i < 5; ++i) {
        const auto which = static_cast<char>('a' + i);
        watch(which, "created_at", at("00:00"));
        transition(which, "accepted", "pending", "00:00:0" + std::to_string(i));
    }
    EXPECT_EQ(latency(), "2026-01-01 00:00:00|accepted|5|2|3.8|3.96\n");
}

TEST_F(WatchingViews, StageLatencyIsNeverBelowNothing) {
    watch('a', "created_at", at("00:00:01"));
    transition('a', "accepted", "pending", "00:00");
    EXPECT_EQ(latency(), "2026-01-01 00:00:00|accepted|1|0|0|0\n") << "two clocks";
}

TEST_F(WatchingViews, ContractHealthCountsCallsByHourContractAndMethod) {
    block("02:00");
    receipt({"a", "success_value"});
    receipt({"b", "failure", "'run'", "initial", "00:59:59.999999"});
    receipt({"c", "failure", "'run'", "callback", "01:00"});
    finding({"c", "callback", "false", "failed_receipt", "run", "01:00"});
    receipt({"d", "failure", "'run'", "callback", "01:20"});
    finding({"d", "callback", "false", "failed_receipt", "run", "01:20"});
    receipt({"e", "failure", "'other'", "promise", "02:59:59"});
    finding({"e", "promise", "false", "failed_receipt", "other", "02:59:59"});
    receipt({"f", "success_receipt_id", "'run'", "promise", "00:00", "dex.near"});
    EXPECT_EQ(health(),
              "00:00|app.near|run|2|1|0\n"
              "00:00|dex.near|run|1|0|0\n"
              "01:00|app.near|run|2|2|2\n"
              "02:00|app.near|other|1|1|0\n");
    EXPECT_EQ(health(at("01:00") + ", " + at("01:20") + ", 'app.near'"), "01:00|app.near|run|1|1|1\n")
        << "from the first time up to the second, and without it";
}

TEST_F(WatchingViews, ContractHealthNamesACallbackWithoutACallByItsAction) {
    receipt({"a", "failure", "NULL", "callback", "00:10", "gone.near",
             R"([{"Transfer":{"deposit":"1"}},"Stake"])"});
    finding({"a", "callback", "false", "failed_receipt", "Transfer", "00:10", "gone.near"});
    receipt({"b", "failure", "NULL", "callback"});
    finding({"b", "callback", "false", "failed_receipt", "CreateAccount"});
    receipt(
        {"c", "success_value", "NULL", "initial", "00:10", "bob.near", R"([{"Transfer":{"deposit":"1"}}])"});
    EXPECT_EQ(health(),
              "00:00|app.near|CreateAccount|1|1|1\n"
              "00:00|gone.near|Transfer|1|1|1\n")
        << "what is no callback and calls nothing is no business of a contract";
}

TEST_F(WatchingViews, NonceGapsLieBetweenUsedNoncesOfOneKey) {
    transactions({{"5", "100"},
                  {"6", "101"},
                  {"9", "102"},
                  {"11", "103"},
                  {"2", "100", "other"},
                  {"7", "100", "k", "NULL", "bob.near"}});
    EXPECT_EQ(gaps(), "alice.near|k|-|7|8|2|t3|102\nalice.near|k|-|10|10|1|t4|103\n");
    EXPECT_EQ(gaps("'-infinity', signer => 'bob.near'"), "");
    EXPECT_EQ(gaps(at("00:00") + ", " + at("00:00")), "") << "without the second time";
}

TEST_F(WatchingViews, NonceGapsAreWhatFailedWithoutACost) {
    transactions({{"5", "100"},
                  {"6", "101", "k", "NULL", "alice.near", "failure", "0"},
                  {"7", "102", "k", "NULL", "alice.near", "failure", "9"},
                  {"8", "103"}});
    EXPECT_EQ(gaps(), "alice.near|k|-|6|6|1|t3|102\n") << "one that burnt gas used its nonce";
}

TEST_F(WatchingViews, NonceGapsAreNoneBetweenTheNoncesOfAGasKey) {
    transactions(
        {{"1", "100", "k", "0"}, {"5", "101", "k", "1"}, {"2", "102", "k", "0"}, {"8", "103", "k", "1"}});
    EXPECT_EQ(gaps(), "alice.near|k|1|6|7|2|t4|103\n");
}

// A key that is added at height h begins at (h - 1) x 10^6.
TEST_F(WatchingViews, NonceGapsEndWhereAKeyWasRemovedAndAddedAgain) {
    transactions({{"99000001", "101"},   // added at 100
                  {"99000003", "105"},   // a gap
                  {"119000001", "125"},  // added again at 120
                  {"119000002", "126"},
                  {"125000001", "127"},    // removed, added and used again within two blocks
                  {"125000004", "128"}});  // a gap
    EXPECT_EQ(gaps(),
              "alice.near|k|-|99000002|99000002|1|t2|105\nalice.near|k|-|125000002|125000003|2|t6|128\n");
}

TEST_F(WatchingViews, NonceGapsMayBeWide) {
    transactions({{"1", "100"}, {"50000000", "101"}, {"18446744073709551615", "102"}});
    EXPECT_EQ(gaps(),
              "alice.near|k|-|2|49999999|49999998|t2|101\n"
              "alice.near|k|-|50000001|18446744073709551614|18446744073659551614|t3|102\n")
        << "no key was added at those heights meanwhile";
}

}  // namespace
}  // namespace receiptd::test
