// Delegate actions on a nonce that was used: who repeats what was executed wakes nobody.
#include "store_test_support.hpp"

#include <map>

namespace receiptd::test {
namespace {

constexpr base::Height kExecuted = 101;
constexpr base::Height kRefused = 104;

struct Signed {
    std::string signature = "ed25519:first";
    std::string nonce = "7";
    std::string method = "play";
    std::string version = "Delegate";
};

std::string plain_nonce(const std::string& nonce) { return R"({"Nonce":{"nonce":)" + nonce + "}}"; }
std::string gas_key_nonce(const std::string& nonce, const std::string& index) {
    return R"({"GasKeyNonce":{"nonce":)" + nonce + R"(,"nonce_index":)" + index + "}}";
}
Signed second_version(std::string signature, std::string nonce) {
    return {std::move(signature), std::move(nonce), "play", "DelegateV2"};
}

std::string actions_of(const Signed& action) {
    const auto body = R"({"sender_id":"bob.near","receiver_id":"app.near","actions":)"
                      R"([{"FunctionCall":{"method_name":")" +
                      action.method + R"("}}],"nonce":)" + action.nonce +
                      R"(,"max_block_height":9,"public_key":"ed25519:key"})";
    const auto versioned = action.version == "Delegate" ? body : R"({"V2":)" + body + "}";
    return R"([{")" + action.version + R"(":{"delegate_action":)" + versioned + R"(,"signature":")" +
           action.signature + R"("}}])";
}

class Delegates : public StoreTest {
protected:
    void SetUp() override {
        StoreTest::SetUp();
        if (!IsSkipped()) execute("INSERT INTO endpoints (name) VALUES ('ops'); " + kAllTakeTheDefaultRule);
    }

    static void add_action(RowBatch& block, base::Height height, const std::string& id, const Signed& action,
                           const std::string& status) {
        ReceiptRow receipt{id, "tx-" + id, "tx-" + id, "", "initial"};
        receipt.status = status;
        receipt.actions = actions_of(action);
        add_receipt(block, height, receipt);
    }
    void execute_action(const Signed& action, const std::string& status = "success_value",
                        base::Height height = kExecuted, const std::string& id = "first") {
        auto block = block_batch(height);
        add_action(block, height, id, action, status);
        commit(std::move(block));
    }
    void refuse_action(const Signed& action) { refuse_actions({{"again", action}}); }
    void refuse_actions(const std::map<std::string, Signed>& actions) {
        auto block = block_batch(kRefused);
        for (const auto& [id, action] : actions) {
            add_action(block, kRefused, id, action, "failure");
            chain::Finding finding;
            finding.kind = chain::kind::kFailedReceipt;
            finding.receipt_id = id;
            finding.identify();
            finding.at.timestamp_nanosec = kFirstTime + kRefused % 1000 * 1'000'000'000;
            add_line(
                block, Table::findings,
                {finding.finding_id, finding.kind, "tx-" + id, "tx-" + id, id, "initial", "f", "bob.near",
                 "Delegate", "relayer.near", "delegate_nonce_used", "no", "104", time_text(kRefused)});
            block.findings.push_back(finding);
        }
        commit(std::move(block));
    }
    std::string told() { return value("SELECT count(*) FROM alerts"); }
    std::string refusal() {
        return rows("SELECT user_id, relayer_id, error_class, used_by_tx_hash FROM delegate_refusals");
    }
};

TEST_F(Delegates, ARepetitionOfWhatWasExecutedIsToldToNobody) {
    execute_action({});
    refuse_action({});
    EXPECT_EQ(told(), "0");
    EXPECT_EQ(value("SELECT count(*) FROM stream_events"), "0");
    EXPECT_EQ(refusal(), "bob.near|relayer.near|delegate_duplicate|tx-first\n");
    EXPECT_EQ(value("SELECT error_class FROM findings"), "delegate_nonce_used") << "whatever is stored";
}

TEST_F(Delegates, ARepetitionIsToldWhereADaemonThatLivesWantsThat) {
    execute_action({});
    storage::DaemonSettings settings;
    settings.place = "here:1";
    settings.source = "rpc";
    settings.tells_delegate_duplicates = true;
    await(store().database.join(settings));
    execute("UPDATE daemons SET seen_at = now() - interval '1 minute'");
    refuse_action({});
    EXPECT_EQ(told(), "0") << "it is gone";
    await(store().database.keep_alive());
    execute(
        "DELETE FROM findings; DELETE FROM receipts WHERE receipt_id = 'again'; "
        "DELETE FROM blocks WHERE block_height = 104; UPDATE coverage SET heights = '{}'");
    refuse_action({});
    EXPECT_EQ(told(), "1");
}

TEST_F(Delegates, AnotherActionOnAUsedNonceIsTold) {
    execute_action({});
    refuse_action({"ed25519:second"});
    EXPECT_EQ(told(), "1");
    EXPECT_EQ(refusal(), "bob.near|relayer.near|delegate_nonce_used|tx-first\n");
}

TEST_F(Delegates, ARepetitionOfWhatIsNotStoredIsTold) {
    refuse_action({});
    EXPECT_EQ(told(), "1");
    EXPECT_EQ(refusal(), "bob.near|relayer.near|delegate_nonce_used|-\n");
    execute_action({});
    EXPECT_EQ(refusal(), "bob.near|relayer.near|delegate_duplicate|tx-first\n") << "its block came later";
}

TEST_F(Delegates, ARepetitionOfWhatWasRefusedItselfIsTold) {
    execute_action({}, "failure");
    refuse_action({});
    EXPECT_EQ(told(), "1");
    EXPECT_EQ(refusal(), "bob.near|relayer.near|delegate_nonce_used|-\n");
}

TEST_F(Delegates, TextThatPostgresCannotReadStopsNobody) {
    const Signed hostile{"ed25519:first", "7", R"(\u0000)"};
    execute_action(hostile);
    refuse_action(hostile);
    EXPECT_EQ(told(), "1");
    EXPECT_EQ(refusal(), "bob.near|relayer.near|delegate_nonce_used|-\n");
}

TEST_F(Delegates, OfManyThatOneBlockRefusesEachIsLookedUp) {
    execute_action({});
    refuse_actions({{"again", {}},
                    {"another", {"ed25519:second"}},
                    {"later", {"ed25519:third", "8"}},
                    {"hostile", {"ed25519:first", "7", R"(\u0000)"}}});
    EXPECT_EQ(rows("SELECT tx_hash FROM alerts ORDER BY 1"), "tx-another\ntx-hostile\ntx-later\n");
    EXPECT_EQ(rows("SELECT tx_hash, error_class, used_by_tx_hash FROM delegate_refusals ORDER BY 1"),
              "tx-again|delegate_duplicate|tx-first\n"
              "tx-another|delegate_nonce_used|tx-first\n"
              "tx-hostile|delegate_nonce_used|-\n"
              "tx-later|delegate_nonce_used|-\n");
}

TEST_F(Delegates, ABusyHourBetweenTwoRefusalsHidesNoUseFromTheFirst) {
    execute_action({});
    refuse_action({});
    execute(
        "INSERT INTO receipts (receipt_id, tree_id, block_time, receiver_id, status) "
        "SELECT 'other' || n, 'other' || n, block_time + interval '30 minutes', receiver_id, 'success_value' "
        "FROM receipts, generate_series(1, 1000) n WHERE receipt_id = 'again'; "
        "INSERT INTO receipts (receipt_id, tree_id, block_time, receiver_id, status, actions) "
        "SELECT 'much-later', tree_id, block_time + interval '1 hour', receiver_id, status, actions "
        "FROM receipts WHERE receipt_id = 'again'");
    EXPECT_EQ(
        rows("SELECT u.* FROM (SELECT array_agg(receipt_id) AS ids, array_agg(tree_id) AS trees, "
             "array_agg(block_time) AS times FROM receipts WHERE receipt_id IN ('again', 'much-later')) r "
             "CROSS JOIN delegate_nonces_used_by(ids, trees, times) u"),
        "again|first|tx-first|t\n");
}

TEST_F(Delegates, ABusyMinuteBetweenTwoRefusalsHidesNoUseFromEither) {
    execute_action({});
    refuse_action({});
    execute(
        "INSERT INTO receipts (receipt_id, tree_id, block_time, receiver_id, status) "
        "SELECT 'other' || n, 'other' || n, block_time + interval '1 second', receiver_id, 'success_value' "
        "FROM receipts, generate_series(1, 1000) n WHERE receipt_id = 'again'; "
        "INSERT INTO receipts (receipt_id, tree_id, block_time, receiver_id, status, actions) "
        "SELECT 'soon', tree_id, block_time + interval '2 seconds', receiver_id, status, actions "
        "FROM receipts WHERE receipt_id = 'again'");
    EXPECT_EQ(rows("SELECT u.* FROM (SELECT array_agg(receipt_id) AS ids, array_agg(tree_id) AS trees, "
                   "array_agg(block_time) AS times FROM receipts WHERE receipt_id IN ('again', 'soon')) r "
                   "CROSS JOIN delegate_nonces_used_by(ids, trees, times) u ORDER BY 1"),
              "again|first|tx-first|t\nsoon|first|tx-first|t\n");
}

TEST_F(Delegates, OfAKeyThatUsedManyNoncesTheRightOneIsFound) {
    execute_action({"ed25519:5", "5"});
    execute_action({"ed25519:17", "17"}, "success_value", kExecuted + 1, "second");
    execute_action({"ed25519:171", "171"}, "success_value", kExecuted + 2, "third");
    refuse_actions({{"repeats-17", {"ed25519:17", "17"}},
                    {"repeats-5", {"ed25519:5", "5"}},
                    {"skipped", {"ed25519:7", "7"}},
                    {"other", {"ed25519:172", "171"}}});
    EXPECT_EQ(rows("SELECT tx_hash, error_class, used_by_tx_hash FROM delegate_refusals ORDER BY 1"),
              "tx-other|delegate_nonce_used|tx-third\n"
              "tx-repeats-17|delegate_duplicate|tx-second\n"
              "tx-repeats-5|delegate_duplicate|tx-first\n"
              "tx-skipped|delegate_nonce_used|-\n");
    EXPECT_EQ(rows("SELECT tx_hash FROM alerts ORDER BY 1"), "tx-other\ntx-skipped\n");
}

TEST_F(Delegates, ARepetitionThatComesAgainIsToldToNobodyEither) {
    execute_action({});
    refuse_actions({{"again", {}}, {"once-more", {}}});
    EXPECT_EQ(told(), "0");
}

TEST_F(Delegates, AnActionThatOnlyNamesASignatureDidNotExecuteIt) {
    execute_action({"ed25519:other", "9", "ed25519:first"});
    refuse_action({});
    EXPECT_EQ(told(), "1");
}

TEST_F(Delegates, ARepetitionInTheSecondVersionIsRecognised) {
    const auto action = second_version("ed25519:first", plain_nonce("7"));
    execute_action(action);
    refuse_actions({{"again", action}, {"other", {"ed25519:second", "7"}}});
    EXPECT_EQ(rows("SELECT tx_hash, error_class, used_by_tx_hash FROM delegate_refusals ORDER BY 1"),
              "tx-again|delegate_duplicate|tx-first\n"
              "tx-other|delegate_nonce_used|tx-first\n")
        << "the key has one plain nonce, whatever the version";
    EXPECT_EQ(rows("SELECT tx_hash FROM alerts ORDER BY 1"), "tx-other\n");
}

TEST_F(Delegates, EachPlaceOfAGasKeyHasANonceOfItsOwn) {
    execute_action(second_version("ed25519:first", gas_key_nonce("7", "2")));
    execute_action(second_version("ed25519:third", gas_key_nonce("3", "1")), "success_value", kExecuted + 1,
                   "third");
    refuse_actions({{"again", second_version("ed25519:first", gas_key_nonce("7", "2"))},
                    {"elsewhere", second_version("ed25519:second", gas_key_nonce("7", "1"))}});
    EXPECT_EQ(rows("SELECT tx_hash, error_class, used_by_tx_hash FROM delegate_refusals ORDER BY 1"),
              "tx-again|delegate_duplicate|tx-first\n"
              "tx-elsewhere|delegate_nonce_used|-\n");
}

constexpr const char* kUsers =
    "SELECT tx_hash, coalesce(user_id, '-'), coalesce(claimed_user_id, '-') FROM transactions ORDER BY 1";

TEST_F(Delegates, WhoIsNamedAndDidNotSignIsNoUser) {
    auto included = block_batch(kExecuted);
    for (const char* tx_hash : {"T1", "T2"}) add_transaction(included, {tx_hash, ""});
    const auto time = included.facts.blocks.back().timestamp_nanosec;
    commit(std::move(included));
    execute("UPDATE transactions SET user_id = 'bob.near'");
    auto settled = block_batch(kExecuted + 1);
    settled.disowned.push_back({"T2", "bob.near", time});
    commit(std::move(settled));
    EXPECT_EQ(rows(kUsers), "T1|bob.near|-\nT2|-|bob.near\n");
    EXPECT_EQ(value("SELECT count(*) FROM late_trees"), "0");
}

TEST_F(Delegates, ATreeThatIsOverBeforeItsTransactionIsStoredIsJudgedAgain) {
    auto settled = block_batch(kExecuted);
    settled.disowned.push_back({"T1", "bob.near", settled.facts.blocks.back().timestamp_nanosec});
    commit(std::move(settled));
    EXPECT_EQ(rows("SELECT tx_hash, history FROM late_trees"), "T1|f\n");
}

}  // namespace
}  // namespace receiptd::test
