// Answers of a host over the sample chain, shape by shape (rpc.md §1-5).
#include "sandbox/gateway/gateway.hpp"
#include "unit/sandbox_replay/fixtures.hpp"

#include <gtest/gtest.h>

namespace receiptd::sandbox {
namespace {

using nlohmann::json;
using test::FakeClock;

constexpr Height kFirstHeight = 100'000'000;
constexpr Height kLastHeight = 100'000'037;
constexpr Height kSkipped = 100'000'012;
const std::string kUnknownHash = "DWPK1Ftsa1vZCoUHEw6x336okhHCRTWSVHcWSRRw1fyq";

class SampleHost : public testing::Test {
protected:
    net::ServerReply post(const std::string& body) {
        return host().answer(test::post(body), host().window());
    }
    net::ServerReply ask(const std::string& method, const json& params) {
        return post(test::call(method, params));
    }
    json result(const std::string& method, const json& params) {
        const auto reply = ask(method, params);
        EXPECT_EQ(reply.status, 200) << reply.body;
        const json answer = test::json_of(reply);
        EXPECT_EQ(answer["jsonrpc"], "2.0");
        EXPECT_EQ(answer["id"], "x");
        EXPECT_FALSE(answer.contains("error")) << answer;
        return answer.value("result", json());
    }
    void expect_error(const std::string& method, const json& params, int status, const std::string& cause,
                      const json& data) {
        const auto reply = ask(method, params);
        const json answer = test::json_of(reply);
        EXPECT_EQ(reply.status, status) << reply.body;
        EXPECT_FALSE(answer.contains("result"));
        EXPECT_EQ(answer["error"]["cause"]["name"], cause);
        EXPECT_EQ(answer["error"]["data"], data);
    }
    json first_transaction(Height height) {
        const json whole = json::parse(*chain_.whole_block(height));
        for (const auto& shard : whole["shards"]) {
            if (!shard["chunk"].is_null() && !shard["chunk"]["transactions"].empty())
                return shard["chunk"]["transactions"][0]["transaction"];
        }
        return json();
    }
    Gateway& host() {
        if (!gateway_) gateway_.emplace(chain_, clock_, options_);
        return *gateway_;
    }

    FakeClock clock_;
    GatewayOptions options_;
    ReplayChain chain_ = test::sample_chain(clock_);
    std::optional<Gateway> gateway_;
};

TEST_F(SampleHost, GivesABlockByFinalityHeightHashAndArray) {
    const json tip = result("block", {{"finality", "final"}});
    EXPECT_EQ(tip["header"]["height"], kLastHeight);
    EXPECT_EQ(tip["chunks"].size(), 3u);
    EXPECT_EQ(result("block", {{"finality", "optimistic"}}), tip);
    EXPECT_EQ(result("block", {{"block_id", kLastHeight}}), tip);
    EXPECT_EQ(result("block", {{"block_id", tip["header"]["hash"]}}), tip);
    EXPECT_EQ(result("block", json::array({kLastHeight})), tip);
    EXPECT_EQ(result("block", json::array({tip["header"]["hash"]})), tip);
    EXPECT_EQ(result("block", {{"sync_checkpoint", "earliest_available"}})["header"]["height"], kFirstHeight);
}

TEST_F(SampleHost, AnswersUnknownBlocksAsANodeDoes) {
    const auto by_height = [](Height height) {
        return "DB Not Found Error: BLOCK HEIGHT: " + std::to_string(height) + " \n Cause: Unknown";
    };
    expect_error("block", {{"block_id", kSkipped}}, 422, "UNKNOWN_BLOCK", by_height(kSkipped));
    expect_error("block", json::array({kSkipped}), 200, "UNKNOWN_BLOCK", by_height(kSkipped));
    expect_error("block", {{"block_id", kLastHeight + 1}}, 200, "UNKNOWN_BLOCK", by_height(kLastHeight + 1));
    expect_error("block", {{"block_id", kUnknownHash}}, 200, "UNKNOWN_BLOCK",
                 "DB Not Found Error: BLOCK HEADER: " + kUnknownHash + " \n Cause: Unknown");
}

TEST_F(SampleHost, RefusesParamsItCannotRead) {
    for (const json& params : {json{{"block_id", "12"}}, json{{"block_id", -1}}, json{{"finality", "soon"}},
                               json::object(), json(), json::array(), json::array({1, 2})}) {
        const auto reply = ask("block", params);
        EXPECT_EQ(reply.status, 400) << params;
        EXPECT_EQ(test::json_of(reply)["error"]["cause"]["name"], "PARSE_ERROR");
        EXPECT_EQ(test::json_of(reply)["error"]["code"], -32700);
    }
}

TEST_F(SampleHost, GivesAChunkByIdAndByShard) {
    const json block = result("block", {{"block_id", kFirstHeight + 1}});
    const json& slot = block["chunks"][0];
    const json chunk = result("chunk", {{"chunk_id", slot["chunk_hash"]}});
    EXPECT_EQ(chunk["header"]["chunk_hash"], slot["chunk_hash"]);
    EXPECT_EQ(chunk["transactions"][0]["signer_id"], "alice.near");
    EXPECT_EQ(result("chunk", json::array({slot["chunk_hash"]})), chunk);
    EXPECT_EQ(result("chunk", {{"block_id", kFirstHeight + 1}, {"shard_id", 0}}), chunk);
    EXPECT_EQ(result("chunk", json::array({json::array({block["header"]["hash"], 0})})), chunk);
}

TEST_F(SampleHost, GivesTheOldChunkWhereTheShardMissesOne) {
    const json chunk = result("chunk", {{"block_id", kFirstHeight + 18}, {"shard_id", 3}});
    EXPECT_EQ(chunk["header"]["height_included"], kFirstHeight + 17);
}

TEST_F(SampleHost, AnswersUnknownChunksAsANodeDoes) {
    expect_error(
        "chunk", json::array({kUnknownHash}), 200, "UNKNOWN_CHUNK",
        "Chunk Missing (unavailable on the node): ChunkHash(`" + kUnknownHash + "`) \n Cause: Unknown");
    expect_error("chunk", {{"block_id", kFirstHeight}, {"shard_id", 99}}, 200, "INVALID_SHARD_ID",
                 "Shard id 99 does not exist");
    const auto reply = ask("chunk", {{"block_id", kSkipped}, {"shard_id", 0}});
    EXPECT_EQ(reply.status, 422);
}

TEST_F(SampleHost, GivesTransactionsWithAndWithoutReceipts) {
    const json transaction = first_transaction(kFirstHeight + 3);
    const json params{{"tx_hash", transaction["hash"]},
                      {"sender_account_id", transaction["signer_id"]},
                      {"wait_until", "FINAL"}};
    const json full = result("EXPERIMENTAL_tx_status", params);
    EXPECT_EQ(full["final_execution_status"], "FINAL");
    EXPECT_EQ(full["receipts"].size(), full["receipts_outcome"].size());
    json bare = full;
    bare.erase("receipts");
    EXPECT_EQ(result("tx", params), bare);
    EXPECT_EQ(result("tx", json::array({transaction["hash"], "alice.near"})), bare);
}

TEST_F(SampleHost, AnswersUnknownTransactionsByWhatIsWaitedFor) {
    json params{{"tx_hash", kUnknownHash}, {"sender_account_id", "alice.near"}, {"wait_until", "NONE"}};
    expect_error("tx", params, 200, "UNKNOWN_TRANSACTION", "Transaction " + kUnknownHash + " doesn't exist");
    params.erase("wait_until");
    expect_error("tx", params, 408, "TIMEOUT_ERROR", "Timeout");
    EXPECT_FALSE(test::json_of(ask("tx", params))["error"]["cause"].contains("info"));
    EXPECT_EQ(ask("tx", json::array({kUnknownHash, "alice.near", "FINAL"})).status, 400);
}

TEST_F(SampleHost, GivesReceiptBodies) {
    const json transaction = first_transaction(kFirstHeight + 1);
    const json known = result("EXPERIMENTAL_tx_status",
                              {{"tx_hash", transaction["hash"]}, {"sender_account_id", "alice.near"}});
    const json receipt = known["receipts"][0];
    EXPECT_EQ(result("EXPERIMENTAL_receipt", {{"receipt_id", receipt["receipt_id"]}}), receipt);
    expect_error("EXPERIMENTAL_receipt", {{"receipt_id", kUnknownHash}}, 200, "UNKNOWN_RECEIPT",
                 {{"name", "UNKNOWN_RECEIPT"}, {"info", {{"receipt_id", kUnknownHash}}}});
}

TEST_F(SampleHost, TellsItsStatus) {
    const json status = result("status", json::array());
    EXPECT_EQ(status["chain_id"], "mainnet");
    EXPECT_EQ(status["sync_info"]["latest_block_height"], kLastHeight);
    EXPECT_EQ(status["sync_info"]["earliest_block_height"], kFirstHeight);
    EXPECT_EQ(status["sync_info"]["latest_block_time"], "2026-04-12T13:20:37.580246875Z");
    EXPECT_EQ(status["protocol_version"], 83);
    EXPECT_EQ(test::json_of(host().answer(test::get("/status"), host().window())), status);
    EXPECT_EQ(result("health", nullptr), json());
    EXPECT_EQ(result("gas_price", json::array({nullptr})), (json{{"gas_price", "100000000"}}));
}

TEST_F(SampleHost, RefusesUnknownMethodsAndWhatIsNoRequest) {
    expect_error("nosuch", json::array(), 400, "METHOD_NOT_FOUND", "nosuch");
    for (const auto* body :
         {"[]", R"([{"jsonrpc":"2.0","id":1,"method":"status"}])", R"({"jsonrpc":"2.0","method":"status"})",
          R"({"jsonrpc":"1.0","id":1,"method":"status"})", R"({"jsonrpc":"2.0","id":1,"method":7})",
          R"({"jsonrpc":"2.0","id":1,"method":"status","extra":1})", "17"}) {
        const auto reply = post(body);
        EXPECT_EQ(reply.status, 400) << body;
        EXPECT_EQ(test::json_of(reply)["error"]["data"], "JSON RPC Request format was expected");
        EXPECT_TRUE(test::json_of(reply)["id"].is_null());
    }
    EXPECT_EQ(post("{").status, 400);
    EXPECT_EQ(test::header_of(post("{"), "Content-Type"), "text/plain");
    auto form = test::post(test::call("status", {}));
    form.headers = {{"Content-Type", "text/plain"}};
    EXPECT_EQ(host().answer(form, host().window()).status, 415);
}

TEST_F(SampleHost, EchoesTheIdAsItWasWritten) {
    for (const auto* id : {"1", "\"dontcare\"", "null", "[1, {\"a\":2.50}]", "18446744073709551616", "1e2"}) {
        const auto reply = post(std::string(R"({"jsonrpc":"2.0","method":"health","id":)") + id + "}");
        EXPECT_EQ(reply.body, std::string(R"({"jsonrpc":"2.0","result":null,"id":)") + id + "}");
    }
}

TEST_F(SampleHost, ForgetsWhatIsOlderThanItsRetention) {
    options_.retention_blocks = 10;
    const Height floor = kLastHeight - 10;  // a height is skipped in between
    EXPECT_EQ(result("status", {})["sync_info"]["earliest_block_height"], floor + 1);
    const json old_block = json::parse(*chain_.block(kFirstHeight + 3));
    EXPECT_EQ(ask("block", {{"block_id", kFirstHeight + 3}}).status, 422);
    EXPECT_EQ(ask("block", {{"block_id", old_block["header"]["hash"]}}).status, 200);
    const json chunk_hash = old_block["chunks"][0]["chunk_hash"];
    EXPECT_EQ(test::json_of(ask("chunk", {{"chunk_id", chunk_hash}}))["error"]["cause"]["name"],
              "UNKNOWN_CHUNK");
    const json transaction = first_transaction(kFirstHeight + 3);
    EXPECT_EQ(ask("tx", json::array({transaction["hash"], "alice.near"})).status, 408);
    EXPECT_EQ(result("block", {{"block_id", kLastHeight}})["header"]["height"], kLastHeight);
}

}  // namespace
}  // namespace receiptd::sandbox
