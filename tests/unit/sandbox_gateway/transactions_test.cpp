// Sending transactions and waiting for them (rpc.md §5).
#include "unit/sandbox_gateway/live_host.hpp"

namespace receiptd::sandbox {
namespace {

using namespace std::chrono_literals;
using namespace test;

class Transactions : public LiveHost {
protected:
    json with(const char* level) { return {{"signed_tx_base64", transfer_base64()}, {"wait_until", level}}; }
    json lookup(const char* level) {
        return {{"tx_hash", transfer_hash()}, {"sender_account_id", "alice.sandbox"}, {"wait_until", level}};
    }
    // The answer to a request during which the chain reaches these levels, block by block.
    net::ServerReply while_it_reaches(const std::string& method, const json& params,
                                      const std::vector<ExecutionLevel>& levels) {
        options_.longest_wait = 10s;
        auto reply = begin(post(call(method, params)));
        context_.restart();
        context_.poll();
        for (const auto level : levels) {
            EXPECT_NE(reply.wait_for(0s), std::future_status::ready) << "before " << to_string(level);
            chain_.levels[transfer_hash()] = level;
            host().chain_moved();
            context_.poll();
        }
        EXPECT_EQ(reply.wait_for(0s), std::future_status::ready);
        return reply.get();
    }
};

TEST_F(Transactions, AreSentWithoutALookAndWithoutWaitingByBroadcastTxAsync) {
    chain_.fault = "InvalidSignature";
    EXPECT_EQ(result("broadcast_tx_async", json::array({transfer_base64()})), transfer_hash());
    EXPECT_EQ(result("broadcast_tx_async", {{"signed_tx_base64", transfer_base64()}}), transfer_hash());
    EXPECT_EQ(chain_.submitted, (std::vector{transfer_hash(), transfer_hash()}));
}

TEST_F(Transactions, AreSentWithoutALookWhereNothingIsWaitedFor) {
    chain_.fault = "Expired";
    EXPECT_EQ(result("send_tx", with("NONE")), (json{{"final_execution_status", "NONE"}}));
    EXPECT_EQ(chain_.submitted.size(), 1u);
}

TEST_F(Transactions, ThatAreInvalidAreRefusedInTheShapeOfNodesAndOfTheSpecification) {
    chain_.fault = json{{"InvalidNonce", {{"tx_nonce", 6}, {"ak_nonce", 7}}}};
    for (const auto* method : {"send_tx", "broadcast_tx_commit"}) {
        const json refused = error(method, json::array({transfer_base64()}), "INVALID_TRANSACTION");
        EXPECT_EQ(refused["cause"]["info"], json::object());
        EXPECT_EQ(refused["data"], (json{{"TxExecutionError", {{"InvalidTxError", *chain_.fault}}}}));
        EXPECT_EQ(refused["code"], -32000);
        EXPECT_EQ(refused["InvalidTransaction"], *chain_.fault);
    }
    EXPECT_TRUE(chain_.submitted.empty());
}

TEST_F(Transactions, ThatAreInvalidWithoutAPayloadHaveNullInItsPlace) {
    const auto told = [this](json fault) {
        chain_.fault = std::move(fault);
        return error("send_tx", json::array({transfer_base64()}),
                     "INVALID_TRANSACTION")["InvalidTransaction"];
    };
    EXPECT_EQ(told("Expired"), (json{{"Expired", nullptr}}));
    EXPECT_EQ(told({{"InvalidAccessKeyError", "RequiresFullAccess"}}),
              (json{{"InvalidAccessKeyError", {{"RequiresFullAccess", nullptr}}}}));
    const json not_found{{"InvalidAccessKeyError",
                          {{"AccessKeyNotFound", {{"account_id", "a.sandbox"}, {"public_key", "k"}}}}}};
    EXPECT_EQ(told(not_found), not_found);
}

TEST_F(Transactions, SentAgainAreAnsweredWithTheirStatus) {
    chain_.fault = json{{"InvalidNonce", {{"tx_nonce", 6}, {"ak_nonce", 6}}}};
    chain_.levels[transfer_hash()] = ExecutionLevel::final;
    EXPECT_EQ(result("send_tx", with("FINAL"))["hash"], transfer_hash());
    EXPECT_TRUE(chain_.submitted.empty());
    chain_.fault = "Expired";
    error("send_tx", with("FINAL"), "INVALID_TRANSACTION");
}

TEST_F(Transactions, AnswerAsSoonAsTheLevelIsReached) {
    using enum ExecutionLevel;
    const auto reply =
        while_it_reaches("send_tx", with("FINAL"), {included, executed_optimistic, executed, final});
    EXPECT_EQ(json_of(reply)["result"]["final_execution_status"], "FINAL");
    EXPECT_EQ(chain_.submitted.size(), 1u) << "waiting sends nothing again";
}

TEST_F(Transactions, KnowThatTheMiddleLevelsAreNotOrdered) {
    using enum ExecutionLevel;
    const auto reply =
        while_it_reaches("tx", lookup("INCLUDED_FINAL"), {included, executed_optimistic, included_final});
    EXPECT_EQ(json_of(reply)["result"]["final_execution_status"], "INCLUDED_FINAL");
    options_.longest_wait = 1ms;
    gateway_.reset();
    error("tx", lookup("EXECUTED_OPTIMISTIC"), "TIMEOUT_ERROR", 408);
}

TEST_F(Transactions, WaitForExecutionIfNothingIsSaid) {
    using enum ExecutionLevel;
    const json params{{"signed_tx_base64", transfer_base64()}};
    const auto reply = while_it_reaches("send_tx", params, {included, executed_optimistic});
    EXPECT_EQ(json_of(reply)["result"]["final_execution_status"], "EXECUTED_OPTIMISTIC");
}

TEST_F(Transactions, ThatDoNotGetThereTimeOut) {
    const json refused = error("send_tx", with("INCLUDED"), "TIMEOUT_ERROR", 408);
    EXPECT_EQ(refused["data"], "Timeout");
    EXPECT_FALSE(refused["cause"].contains("info"));
}

TEST_F(Transactions, ThatAreUnknownAreToldAtOnceOnlyWhereNothingIsWaitedFor) {
    const json unknown = error("tx", lookup("NONE"), "UNKNOWN_TRANSACTION");
    EXPECT_EQ(unknown["cause"]["info"]["requested_transaction_hash"], transfer_hash());
    error("tx", json::array({transfer_hash(), "alice.sandbox"}), "TIMEOUT_ERROR", 408);
}

TEST_F(Transactions, AreFoundByTheirBytesToo) {
    chain_.levels[transfer_hash()] = ExecutionLevel::executed;
    EXPECT_EQ(result("tx", json::array({transfer_base64()}))["hash"], transfer_hash());
    EXPECT_TRUE(result("EXPERIMENTAL_tx_status", with("EXECUTED")).contains("receipts"));
    chain_.levels.clear();
    chain_.fault = "Expired";
    const json refused = error("tx", with("FINAL"), "INVALID_TRANSACTION");
    EXPECT_EQ(refused["data"]["TxExecutionError"]["InvalidTxError"], "Expired");
    EXPECT_TRUE(chain_.submitted.empty()) << "a look-up sends nothing";
}

TEST_F(Transactions, AreToldByTheNewNameAndTheOldOne) {
    chain_.levels[transfer_hash()] = ExecutionLevel::executed;
    EXPECT_EQ(result("tx_status", with("EXECUTED")), result("EXPERIMENTAL_tx_status", with("EXECUTED")));
}

TEST_F(Transactions, ThatCannotBeReadAreParseErrors) {
    const auto message = [&](const std::string& method, const json& params) {
        return error(method, params, "PARSE_ERROR", 400).value("data", "");
    };
    for (const auto* method : {"send_tx", "broadcast_tx_async", "broadcast_tx_commit"}) {
        EXPECT_EQ(message(method, json::array({transfer_base64(), "FINAL"})),
                  "Unable to parse send request: too many params passed");
        for (const auto* text : {"", "!", "AAAA"})
            EXPECT_TRUE(message(method, json::array({text})).starts_with("Failed to decode transaction: "))
                << text;
        EXPECT_EQ(message(method, json::object()), "Failed parsing args: missing field `signed_tx_base64`");
        EXPECT_TRUE(message(method, json()).starts_with("Failed parsing args: "));
        EXPECT_TRUE(message(method, json::array({7})).starts_with("Failed parsing args: "));
    }
    EXPECT_TRUE(message("send_tx", with("SOON")).starts_with("Failed parsing args: unknown variant"));
    EXPECT_TRUE(
        message("tx", json::array({transfer_hash(), "a.b", "FINAL"})).starts_with("Failed parsing args: "));
    EXPECT_TRUE(chain_.submitted.empty());
}

TEST_F(Transactions, OfPrunedBlocksAreUnknownOnTheRegularHost) {
    chain_.levels[transfer_hash()] = ExecutionLevel::final;  // in block 115
    options_.retention_blocks = 4;
    error("tx", lookup("NONE"), "UNKNOWN_TRANSACTION");
}

}  // namespace
}  // namespace receiptd::sandbox
