// Lies about accounts, keys, prices and transactions, as a client meets them.
#include "net/gzip.hpp"
#include "sandbox/gateway/lies.hpp"
#include "unit/sandbox_gateway/live_host.hpp"

namespace receiptd::sandbox {
namespace {

using namespace test;

class UntrueHost : public LiveHost {
protected:
    void tell(const char* lies) { host().set_lies(*read_lies(json::parse(lies))); }
    static json about(const char* type, const char* account) {
        return {{"request_type", type}, {"account_id", account}, {"finality", "final"}};
    }
    static json of_key(const char* account) {
        json params = about("view_access_key", account);
        params["public_key"] = key_of(7).to_string();
        return params;
    }
    std::string amount(const char* account) {
        return result("query", about("view_account", account))["amount"];
    }
};

TEST_F(UntrueHost, TellsAnotherBalance) {
    tell(R"([{"lie":"balance","amount":"7","account":"alice.sandbox"}])");
    EXPECT_EQ(amount("alice.sandbox"), "7");
    EXPECT_EQ(amount("c.sandbox"), "118");
    const json params{{"account_id", "alice.sandbox"}, {"finality", "final"}};
    EXPECT_EQ(result("EXPERIMENTAL_view_account", params)["amount"], "7");
    EXPECT_EQ(result("query", json::array({"account/alice.sandbox", ""}))["amount"], "7");
    tell(R"([{"lie":"balance","times":1}])");
    EXPECT_EQ(amount("c.sandbox"), "0");
    EXPECT_EQ(amount("c.sandbox"), "118");
}

TEST_F(UntrueHost, TellsAnotherNonce) {
    tell(R"([{"lie":"nonce"}])");
    EXPECT_EQ(result("query", of_key("alice.sandbox"))["nonce"], 1'000'005);
    const json list = result("query", about("view_access_key_list", "alice.sandbox"));
    EXPECT_EQ(list["keys"][0]["access_key"]["nonce"], 1'000'005);
    tell(R"([{"lie":"nonce","nonce":1}])");
    EXPECT_EQ(result("query", of_key("alice.sandbox"))["nonce"], 1);
    tell(R"([{"lie":"nonce","account":"c.sandbox"}])");
    EXPECT_EQ(result("query", of_key("alice.sandbox"))["nonce"], 5);
}

TEST_F(UntrueHost, DeniesAKey) {
    tell(R"([{"lie":"missing_key"}])");
    const json soft = result("query", of_key("alice.sandbox"));
    EXPECT_EQ(soft["error"], "access key " + key_of(7).to_string() + " does not exist while viewing");
    EXPECT_EQ(soft["block_height"], 118);
    error("EXPERIMENTAL_view_access_key", of_key("alice.sandbox"), "UNKNOWN_ACCESS_KEY");
}

TEST_F(UntrueHost, DeniesAnAccount) {
    tell(R"([{"lie":"missing_account","account":"alice.sandbox"}])");
    const json info =
        error("query", about("view_account", "alice.sandbox"), "UNKNOWN_ACCOUNT")["cause"]["info"];
    EXPECT_EQ(info["requested_account_id"], "alice.sandbox");
    EXPECT_EQ(info["block_hash"], FakeChain::hash_of(118));
    EXPECT_TRUE(result("query", of_key("alice.sandbox")).contains("error"));
    EXPECT_EQ(amount("c.sandbox"), "118");
}

TEST_F(UntrueHost, TellsOtherValuesOfTheNetwork) {
    tell(R"([{"lie":"gas_price"},{"lie":"validity_period","blocks":18446744073709551615},
             {"lie":"earliest_height"}])");
    EXPECT_EQ(result("gas_price", json::array({nullptr}))["gas_price"], "1");
    const json final{{"finality", "final"}};
    EXPECT_EQ(result("EXPERIMENTAL_protocol_config", final)["transaction_validity_period"],
              18446744073709551615u);
    EXPECT_EQ(result("genesis_config", json::array())["transaction_validity_period"], 18446744073709551615u);
    EXPECT_EQ(result("status", json::array())["sync_info"]["earliest_block_height"], 0);
    tell(R"([{"lie":"validity_period"}])");
    EXPECT_EQ(result("EXPERIMENTAL_protocol_config", final)["transaction_validity_period"], 10);
}

TEST_F(UntrueHost, RefusesAGoodTransaction) {
    tell(R"([{"lie":"invalid_transaction","error":{"InvalidNonce":{"tx_nonce":6,"ak_nonce":9}}}])");
    const json refused = error("send_tx", json::array({transfer_base64()}), "INVALID_TRANSACTION");
    EXPECT_EQ(refused["data"]["TxExecutionError"]["InvalidTxError"]["InvalidNonce"]["ak_nonce"], 9);
    EXPECT_TRUE(chain_.submitted.empty());
    error("tx", {{"signed_tx_base64", transfer_base64()}, {"wait_until", "NONE"}}, "INVALID_TRANSACTION");
    const json by_hash{{"tx_hash", transfer_hash()}, {"sender_account_id", "a"}, {"wait_until", "NONE"}};
    error("tx", by_hash, "UNKNOWN_TRANSACTION");
}

TEST_F(UntrueHost, DeniesATransactionItKnows) {
    chain_.levels[hash_text(1)] = chain_.levels[hash_text(2)] = ExecutionLevel::final;
    tell((R"([{"lie":"unknown_transaction","tx_hash":")" + hash_text(1) + R"("}])").c_str());
    error("tx", json::array({hash_text(1), "alice.sandbox"}), "UNKNOWN_TRANSACTION");
    const json other{{"tx_hash", hash_text(2)}, {"sender_account_id", "alice.sandbox"}};
    EXPECT_EQ(result("EXPERIMENTAL_tx_status", other)["hash"], hash_text(2));
    tell(R"([{"lie":"unknown_transaction"}])");
    error("EXPERIMENTAL_tx_status", other, "UNKNOWN_TRANSACTION");
}

TEST_F(UntrueHost, TracksSomeShardsNot) {
    chain_.levels[transfer_hash()] = ExecutionLevel::final;
    const auto status = [&](const char* wait_until) {
        return json{
            {"tx_hash", transfer_hash()}, {"sender_account_id", "alice.sandbox"}, {"wait_until", wait_until}};
    };
    tell(R"([{"lie":"untracked_shards","shards":[1]}])");
    EXPECT_EQ(result("EXPERIMENTAL_tx_status", status("NONE"))["hash"], transfer_hash());
    EXPECT_EQ(amount("alice.sandbox"), "118");
    const json refused = error("query", about("view_account", "c.sandbox"), "UNAVAILABLE_SHARD");
    EXPECT_EQ(refused["cause"]["info"]["requested_shard_id"], 1);
    result("chunk", json::array({FakeChain::chunk_of(118)}));
    tell(R"([{"lie":"untracked_shards"}])");
    EXPECT_EQ(result("tx", status("NONE")), (json{{"final_execution_status", "NONE"}}));
    error("tx", status("FINAL"), "TIMEOUT_ERROR", 408);
    error("chunk", json::array({FakeChain::chunk_of(118)}), "UNKNOWN_CHUNK");
}

TEST_F(UntrueHost, NamesAccountsAtLength) {
    tell(R"([{"lie":"long_names"}])");
    const json final{{"finality", "final"}};
    EXPECT_EQ(result("block", final)["author"], std::string(6'000, 'a'));
    EXPECT_EQ(json_of(handle(get("/v0/block/118")))["block"]["author"], std::string(6'000, 'a'));
}

TEST_F(UntrueHost, HasOddMembers) {
    tell(R"([{"lie":"odd_members","values":{"author":"\"\\ud800\"","shard_id":"1e999"},"times":2}])");
    const auto block = ask("block", {{"finality", "final"}}).body;
    EXPECT_NE(block.find(R"("author":"\ud800")"), std::string::npos) << block;
    EXPECT_NE(block.find(R"("shard_id":1e999)"), std::string::npos) << block;
    EXPECT_NE(handle(get("/v0/block/118")).body.find(R"("author":"\ud800")"), std::string::npos);
    EXPECT_NE(result("block", {{"finality", "final"}})["author"], "\ufffd") << "two answers have it";
}

TEST_F(UntrueHost, ListsAShardTwice) {
    tell(R"([{"lie":"doubled_shard","times":2}])");
    const json chunks = result("block", {{"finality", "final"}})["chunks"];
    ASSERT_EQ(chunks.size(), 2u);
    EXPECT_EQ(chunks[0], chunks[1]);
    EXPECT_EQ(json_of(handle(get("/v0/block/118")))["block"]["chunks"].size(), 2u);
    EXPECT_EQ(json_of(handle(get("/v0/block/118")))["block"]["chunks"].size(), 1u);
}

TEST_F(UntrueHost, RefusesOnce) {
    tell(R"([{"lie":"forbidden","times":1,"method":"gas_price"}])");
    EXPECT_EQ(ask("status", json::array()).status, 200);
    EXPECT_EQ(ask("gas_price", json::array({nullptr})).status, 403);
    EXPECT_EQ(ask("gas_price", json::array({nullptr})).status, 200);
    tell(R"([{"lie":"forbidden","status":401,"method":"/v0/"}])");
    EXPECT_EQ(handle(get("/v0/block/118")).status, 401);
    EXPECT_EQ(read_lies(json::parse(R"([{"lie":"forbidden","status":404}])")).error(),
              "lies[0]: status must be 401, 402 or 403");
}

TEST_F(UntrueHost, NestsItsAnswerDeeply) {
    tell(R"([{"lie":"deep_json","levels":3}])");
    EXPECT_EQ(ask("status", json::array()).body, R"({"jsonrpc":"2.0","result":[[[]]],"id":"x"})");
    EXPECT_EQ(handle(get("/v0/block/118")).body, "[[[]]]");
}

TEST_F(UntrueHost, SendsMuchMoreThanItWeighs) {
    tell(R"([{"lie":"gzip_bomb","members":3,"bytes":100000}])");
    const auto bomb = ask("status", json::array());
    EXPECT_EQ(header_of(bomb, "Content-Encoding"), "gzip");
    EXPECT_LT(bomb.body.size(), 1'000u);
    EXPECT_EQ(*net::gunzip(bomb.body, 400'000), std::string(300'000, ' '));
}

}  // namespace
}  // namespace receiptd::sandbox
