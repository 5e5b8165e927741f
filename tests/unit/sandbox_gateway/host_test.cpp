// A host as HTTP clients meet it: whole blocks, CORS, metrics, faults set while it runs.
#include "sandbox/gateway/fault_json.hpp"
#include "unit/sandbox_gateway/live_host.hpp"

namespace receiptd::sandbox {
namespace {

using namespace std::chrono_literals;
using namespace test;

class HttpHost : public LiveHost {
protected:
    void play(const char* rules) { host().set_faults(*read_fault_plan(json::parse(rules))); }
    json block_height(const json& params) {
        return json_of(ask("block", params)).value("/result/header/height"_json_pointer, json());
    }
};

TEST_F(HttpHost, TellsFinalWholeBlocksFromOptimisticOnes) {
    EXPECT_EQ(header_of(handle(get("/v0/last_block/final")), "Location"), "/v0/block/118");
    EXPECT_EQ(header_of(handle(get("/v0/last_block/optimistic", "apiKey=k")), "Location"),
              "/v0/block_opt/120?apiKey=k");
    EXPECT_EQ(json_of(handle(get("/v0/block_opt/120")))["block"]["header"]["height"], 120);
    EXPECT_EQ(text_of(handle(get("/v0/block/113"))), "null") << "a skipped height";
    options_.longest_hold = 1ms;
    gateway_.reset();
    EXPECT_EQ(json_of(handle(get("/v0/block/119")))["type"], "BLOCK_DOES_NOT_EXIST") << "not final yet";
}

TEST_F(HttpHost, HoldsARequestUntilItsBlockIsFinal) {
    auto reply = begin(get("/v0/block/119"));
    context_.poll();
    EXPECT_NE(reply.wait_for(0s), std::future_status::ready);
    chain_.newest = 121;
    host().chain_moved();
    context_.poll();
    ASSERT_EQ(reply.wait_for(0s), std::future_status::ready);
    EXPECT_EQ(json_of(reply.get())["block"]["header"]["height"], 119);
}

TEST_F(HttpHost, SendsOldOptimisticBlocksToTheFinalOnesOfTheArchive) {
    options_.retention_blocks = 5;
    options_.archive_origin = "http://127.0.0.1:9";
    EXPECT_EQ(header_of(handle(get("/v0/block_opt/104")), "Location"), "http://127.0.0.1:9/v0/block/104");
}

TEST_F(HttpHost, LetsBrowsersAsk) {
    options_.access.require_key = true;
    auto preflight = get("/");
    preflight.method = "OPTIONS";
    const auto allowed = handle(preflight);
    EXPECT_EQ(allowed.status, 200) << "a preflight carries no key";
    EXPECT_EQ(header_of(allowed, "Access-Control-Allow-Origin"), "*");
    EXPECT_EQ(header_of(allowed, "Access-Control-Allow-Methods"), "GET, POST");
    EXPECT_EQ(header_of(allowed, "Access-Control-Allow-Headers"), "Authorization, Accept, Content-Type");
    const auto refused = handle(get("/status"));
    EXPECT_EQ(refused.status, 401);
    EXPECT_EQ(header_of(refused, "Access-Control-Allow-Origin"), "*") << "so that a page can read why";
}

TEST_F(HttpHost, RefusesWhatIsNoRequestInPlainText) {
    auto form = post(call("status", nullptr));
    form.headers = {{"Content-Type", "application/x-www-form-urlencoded"}};
    EXPECT_EQ(handle(form).status, 415);
    EXPECT_EQ(header_of(handle(form), "Content-Type"), "text/plain");
    form.headers = {{"Content-Type", "Application/JSON; charset=utf-8"}};
    EXPECT_EQ(handle(form).status, 200);
    EXPECT_EQ(handle(post("{\"jsonrpc\":")).status, 400);
    EXPECT_EQ(handle(get("/")).status, 405);
    EXPECT_EQ(handle(get("/nothing")).status, 404);
    EXPECT_EQ(handle(post("[" + call("status", nullptr) + "]")).status, 400) << "batches";
}

TEST_F(HttpHost, CountsRequestsByMethodAndByThePlaceOfTheirKey) {
    options_.access.api_keys = {base::Secret("first-secret"), base::Secret("second-secret")};
    ask("status", nullptr);
    ask("nosuch", nullptr);
    handle(get("/v0/block/110", "apiKey=second-secret"));
    handle(get("/status", "apiKey=guessed-secret"));
    const auto text = text_of(handle(get("/metrics")));
    for (const auto* line :
         {R"(receiptd_sandbox_requests_total{host="regular",method="status",outcome="ok"} 1)",
          R"(receiptd_sandbox_requests_total{host="regular",method="unknown",outcome="error"} 1)",
          R"(receiptd_sandbox_requests_total{host="regular",method="/v0/block/",outcome="ok"} 1)",
          R"(receiptd_sandbox_key_requests_total{host="regular",key="2",outcome="ok"} 1)",
          R"(receiptd_sandbox_key_requests_total{host="regular",key="none",outcome="ok"} 1)",
          R"(receiptd_sandbox_key_requests_total{host="regular",key="wrong",outcome="unauthorized"} 1)"})
        EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
    EXPECT_EQ(text.find("secret"), std::string::npos);
}

TEST_F(HttpHost, LagsBehindByAsManyBlocksAsTold) {
    play(R"([{"fault":"stale","blocks":4}])");
    EXPECT_EQ(block_height({{"finality", "optimistic"}}), 116);
    EXPECT_EQ(block_height({{"finality", "final"}}), 114);
    EXPECT_TRUE(block_height({{"block_id", 118}}).is_null());
    play("[]");
    EXPECT_EQ(block_height({{"finality", "optimistic"}}), 120);
}

TEST_F(HttpHost, ForgetsBlocksEarly) {
    play(R"([{"fault":"pruned","blocks":4}])");
    EXPECT_TRUE(block_height({{"block_id", 116}}).is_null());
    EXPECT_EQ(block_height({{"block_id", 117}}), 117);
    EXPECT_EQ(json_of(handle(get("/v0/block/116")))["type"], "BLOCK_DOES_NOT_EXIST");
    EXPECT_EQ(json_of(handle(get("/v0/block/117")))["block"]["header"]["height"], 117);
}

TEST_F(HttpHost, AnswersWronglyForOneMethod) {
    play(R"([{"fault":"wrong","method":"block"}])");
    EXPECT_EQ(block_height({{"block_id", 118}}), 117);
    EXPECT_EQ(block_height(json::array({118})), 117);
    EXPECT_EQ(block_height({{"finality", "final"}}), 117);
    EXPECT_EQ(result("chunk", json::array({FakeChain::chunk_of(118)}))["header"]["chunk_hash"],
              FakeChain::chunk_of(118));
    play(R"([{"fault":"wrong","method":"chunk"}])");
    EXPECT_EQ(result("chunk", json::array({FakeChain::chunk_of(118)}))["header"]["chunk_hash"],
              FakeChain::chunk_of(117));
    const json by_shard = json::array({json::array({118, 0})});
    EXPECT_EQ(result("chunk", by_shard)["header"]["chunk_hash"], FakeChain::chunk_of(117));
    play(R"([{"fault":"wrong","answer":{"error":"UNKNOWN_BLOCK"}}])");
    error("block", {{"finality", "final"}}, "UNKNOWN_BLOCK");
    play(R"([{"fault":"wrong","method":"tx_status","answer":{"error":"METHOD_NOT_FOUND"}}])");
    EXPECT_NE(handle(post(call("tx_status", json::array({"x", "y"})))).body.find("METHOD_NOT_FOUND"),
              std::string::npos);
    play(R"([{"fault":"wrong","method":"tx","answer":{"result":{"final_execution_status":"FINAL"}}}])");
    EXPECT_EQ(result("tx", json::array({"x", "y"})), (json{{"final_execution_status", "FINAL"}}));
}

TEST_F(HttpHost, FailsAsTold) {
    play(R"([{"fault":"500","status":503}])");
    EXPECT_EQ(ask("status", nullptr).status, 503);
    EXPECT_EQ(header_of(ask("status", nullptr), "Content-Type"), "text/html");
    play(R"([{"fault":"reset"}])");
    EXPECT_THROW(handle(post(call("send_tx", json::array({transfer_base64()})))), net::HangUp);
    EXPECT_TRUE(chain_.submitted.empty()) << "the request is not even read";
    play(R"([{"fault":"truncate"}])");
    const json params = json::array({transfer_base64()});
    EXPECT_TRUE(ask("broadcast_tx_async", params).next_piece) << "a body that breaks off";
    EXPECT_EQ(chain_.submitted.size(), 1u) << "the request is served, its answer is lost";
}

}  // namespace
}  // namespace receiptd::sandbox
