// Statements of the gateway's specification, asked of a whole sandbox as clients ask.
#include "unit/sandbox_run/fixtures.hpp"

namespace receiptd::sandbox {
namespace {

using namespace test;

class Specification : public Run {
protected:
    json archival(const std::string& method, const json& params) {
        return json_of(finish(sandbox().hosts().archival().handle(post(call(method, params)))));
    }
    json status_of(const std::string& hash, const char* wait_until = "NONE") {
        return rpc("tx",
                   {{"tx_hash", hash}, {"sender_account_id", "alice.sandbox"}, {"wait_until", wait_until}});
    }
    json key_query() {
        return {{"request_type", "view_access_key"},
                {"finality", "optimistic"},
                {"account_id", "alice.sandbox"},
                {"public_key", get("/keys")[0]["public_key"]}};
    }
    json final_header() { return rpc("block", {{"finality", "final"}})["result"]["header"]; }
};

TEST_F(Specification, BlocksAndNoncesAreThoseOfTheChain) {
    const Height genesis = sandbox().ledger().tip();
    EXPECT_EQ(rpc("query", key_query())["result"]["nonce"], 0);
    send_transfer(5);
    change("/advance", {{"blocks", 4}});
    EXPECT_EQ(final_header()["height"], genesis + 2);
    EXPECT_EQ(rpc("block", {{"block_id", genesis + 3}})["result"]["header"]["prev_hash"],
              final_header()["hash"]);
    EXPECT_EQ(rpc("query", key_query())["result"]["nonce"], 5);
}

TEST_F(Specification, TheRegularHostForgetsWhatTheArchivalOneKeepsAndTheRestIsTheSame) {
    options_.retention_blocks = 10;
    const Height genesis = sandbox().ledger().tip();
    const auto hash = send_transfer(1);
    change("/advance", {{"blocks", 5}});
    const json recent{{"block_id", genesis + 5}};
    const json of_transaction{
        {"tx_hash", hash}, {"sender_account_id", "alice.sandbox"}, {"wait_until", "FINAL"}};
    const std::vector<std::pair<std::string, json>> questions{{"block", recent},
                                                              {"gas_price", recent},
                                                              {"query", key_query()},
                                                              {"tx", of_transaction},
                                                              {"validators", json::array()},
                                                              {"block", {{"finality", "final"}}},
                                                              {"block", {{"block_id", genesis + 99}}},
                                                              {"genesis_config", nullptr}};
    for (const auto& [method, params] : questions)
        EXPECT_EQ(rpc(method, params), archival(method, params)) << method;
    change("/advance", {{"blocks", 20}});
    EXPECT_EQ(rpc("block", recent)["error"]["cause"]["name"], "UNKNOWN_BLOCK");
    EXPECT_EQ(archival("block", recent)["result"]["header"]["height"], genesis + 5);
    EXPECT_EQ(status_of(hash)["error"]["cause"]["name"], "UNKNOWN_TRANSACTION");
    EXPECT_EQ(archival("tx", of_transaction)["result"]["final_execution_status"], "FINAL");
}

TEST_F(Specification, AClientSeesATransactionPassThroughItsStagesInOrder) {
    const auto hash = send_transfer(1);
    EXPECT_EQ(status_of(hash)["error"]["cause"]["name"], "UNKNOWN_TRANSACTION") << "in the mempool";
    EXPECT_EQ(get("/status")["pending_transactions"], 1);
    std::vector<std::string> seen;
    for (int block = 0; block < 6; ++block) {
        change("/advance");
        const json told = status_of(hash)["result"];
        if (seen.empty() || seen.back() != told["final_execution_status"])
            seen.push_back(told["final_execution_status"]);
        if (seen.size() == 1) {
            EXPECT_TRUE(told["transaction_outcome"]["outcome"]["status"].contains("SuccessReceiptId"));
        }
    }
    EXPECT_EQ(seen, (std::vector<std::string>{"INCLUDED", "EXECUTED_OPTIMISTIC", "EXECUTED", "FINAL"}));
    const json outcomes = status_of(hash, "FINAL")["result"]["receipts_outcome"];
    EXPECT_EQ(outcomes.size(), 2u) << "the transfer and its gas refund";
    for (const auto& each : outcomes) EXPECT_TRUE(each["outcome"]["status"].contains("SuccessValue"));
}

TEST_F(Specification, WhatBroadcastTxAsyncTakesWithoutALookWaitsInTheMempoolIfItIsValid) {
    send_transfer(1);
    send_transfer(0);  // no nonce of this key
    EXPECT_EQ(get("/status")["pending_transactions"], 1);
}

TEST_F(Specification, AResultOfBroadcastTxCommitIsThatOfTx) {
    const auto bytes = transfer_base64(1);
    const std::string hash = rpc("broadcast_tx_async", json::array({bytes}))["result"];
    change("/advance", {{"blocks", 6}});
    const json committed = rpc("broadcast_tx_commit", json::array({bytes}))["result"];
    EXPECT_EQ(committed, status_of(hash)["result"]);
    EXPECT_EQ(committed["transaction"]["hash"], hash);
}

TEST_F(Specification, ATransactionOfTheFinalBlockIsTaken) {
    change("/advance", {{"blocks", 5}});
    const auto& alice = sandbox().ready()[0];
    chain::wire::SignedTransaction made;
    made.transaction.signer_id = alice.account_id;
    made.transaction.public_key = alice.key.public_key();
    made.transaction.nonce.nonce = 1;
    made.transaction.receiver_id = "bob.sandbox";
    made.transaction.block_hash = *chain::CryptoHash::parse(final_header()["hash"].get<std::string>());
    made.transaction.actions.push_back(chain::wire::Action{chain::wire::Transfer{1}});
    made.signature = alice.key.sign(chain::wire::transaction_hash(made.transaction).view());
    const std::string hash =
        rpc("broadcast_tx_async", json::array({chain::base64_encode(chain::wire::encode(made))}))["result"];
    change("/advance");
    EXPECT_EQ(status_of(hash)["result"]["final_execution_status"], "INCLUDED");
}

TEST_F(Specification, TheUsualLimitsAreThoseOfNear) {
    options_.ledger = LedgerOptions{};
    const Height genesis = sandbox().ledger().tip();
    const json config = rpc("EXPERIMENTAL_protocol_config", {{"finality", "final"}})["result"];
    EXPECT_EQ(config["transaction_validity_period"], 86'400)
        << "two of NEAR's epochs, 14.4 hours of 0.6 seconds";
    EXPECT_EQ(config["epoch_length"], 500) << "a local network's";
    const auto hash = send_transfer(1);
    change("/advance", {{"blocks", 3}});
    const auto time_of = [&](Height height) {
        return rpc("block", {{"block_id", height}})["result"]["header"]["timestamp"].get<std::uint64_t>();
    };
    EXPECT_EQ(final_header()["height"], genesis + 1);
    EXPECT_EQ(time_of(genesis + 3) - time_of(genesis + 1), 1'200'000'000u) << "final after 1.2 seconds";
}

TEST_F(Specification, AnEpochHasTheHeightsThatItIsTold) {
    options_.ledger.epoch_blocks = 43'200;  // mainnet's
    EXPECT_EQ(rpc("EXPERIMENTAL_protocol_config", {{"finality", "final"}})["result"]["epoch_length"], 43'200);
}

}  // namespace
}  // namespace receiptd::sandbox
