#include "fakes.hpp"

namespace receiptd::api {
namespace {

using namespace api::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class WatchesTest : public ApiTest {
protected:
    static std::string item(const std::string& hash, const std::string& sender) {
        return R"({"tx_hash":")" + hash + R"(","sender_id":")" + sender + R"("})";
    }
};

TEST_F(WatchesTest, OneIsMadeOnceAndFoundThen) {
    const auto made = post("/v1/watches", item(kHash, "alice.near"));
    EXPECT_EQ(header(made, "Location"), "/v1/watches/" + kHash);
    EXPECT_EQ(answer(made, 201)["stage"], "accepted");
    EXPECT_EQ(answer(post("/v1/watches", item(kHash, "alice.near")))["sender_id"], "alice.near");
    EXPECT_EQ(answer(get("/v1/watches/" + kHash))["tx_hash"], kHash);
}

TEST_F(WatchesTest, AnotherSenderForTheSameHashIsAConflict) {
    post("/v1/watches", item(kHash, "alice.near"));
    const auto body = problem(post("/v1/watches", item(kHash, "bob.near")), 409);
    EXPECT_EQ(body["pointer"], "/sender_id");
    EXPECT_THAT(body["detail"].get<std::string>(), HasSubstr("alice.near"));
    EXPECT_EQ(watches_.rows.at(kHash).sender_id, "alice.near");
}

TEST_F(WatchesTest, AReceiptIsNoTransactionAndItsTransactionIsNamed) {
    storage::StoredTree tree;
    tree.receipts.emplace_back().receipt_id = kOther;
    watches_.trees[kHash] = tree;
    const auto body = problem(post("/v1/watches", item(kOther, "alice.near")), 400);
    EXPECT_EQ(body["pointer"], "/tx_hash");
    EXPECT_THAT(body["detail"].get<std::string>(), HasSubstr(kHash));
    const auto many =
        answer(post("/v1/watches", "[" + item(kOther, "a.near") + "," + item(kHash, "a.near") + "]"));
    EXPECT_EQ(many["results"][0]["problem"]["pointer"], "/0/tx_hash");
    EXPECT_EQ(many["results"][1]["status"], "created");
}

TEST_F(WatchesTest, MetadataIsKeptAndAnotherOneForTheSameHashIsAConflict) {
    const auto with = [](const std::string& metadata) {
        return R"({"tx_hash":")" + kHash + R"(","sender_id":"alice.near","metadata":)" + metadata + "}";
    };
    EXPECT_EQ(answer(post("/v1/watches", with(R"({"order":7})")), 201)["metadata"]["order"], 7);
    EXPECT_EQ(answer(post("/v1/watches", with(R"({ "order": 7 })")))["metadata"]["order"], 7);
    EXPECT_EQ(answer(post("/v1/watches", item(kHash, "alice.near")))["metadata"]["order"], 7);
    EXPECT_EQ(problem(post("/v1/watches", with("{}")), 409)["pointer"], "/metadata");
    const auto many = answer(post("/v1/watches", "[" + with("{}") + "," + with("7") + "]"))["results"];
    EXPECT_EQ(many[0]["problem"]["pointer"], "/0/metadata");
    EXPECT_EQ(many[1]["problem"]["detail"], "metadata must be a JSON object");
}

TEST_F(WatchesTest, GoOnInTheTraceOfTheirCaller) {
    const std::string traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const auto watch = [&](const std::string& hash, const std::string& header) {
        Ask ask;
        ask.method = "POST";
        ask.target = "/v1/watches";
        ask.body = item(hash, "alice.near");
        ask.traceparent = header;
        answer(send(std::move(ask)), 201);
    };
    watch(kHash, traceparent);
    EXPECT_EQ(watches_.rows[kHash].traceparent, traceparent);
    EXPECT_EQ(answer(get("/v1/transactions/" + kHash))["trace_id"], "4bf92f3577b34da6a3ce929d0e0e4736");
    watch(kOther, "nonsense");
    EXPECT_EQ(watches_.rows[kOther].traceparent, "") << "as if it were not there";
    EXPECT_NE(answer(get("/v1/transactions/" + kOther))["trace_id"], "4bf92f3577b34da6a3ce929d0e0e4736");
}

TEST_F(WatchesTest, BadBodiesAreToldWhere) {
    const auto pointer = [&](const std::string& body) {
        return problem(post("/v1/watches", body), 400)["pointer"];
    };
    EXPECT_EQ(pointer(""), "");
    EXPECT_EQ(pointer("{"), "");
    EXPECT_EQ(pointer("7"), "");
    EXPECT_EQ(pointer("1e999"), "");
    EXPECT_EQ(pointer("{}"), "/tx_hash");
    EXPECT_EQ(pointer(item("0OIl", "alice.near")), "/tx_hash");
    EXPECT_EQ(pointer(R"({"tx_hash":7,"sender_id":"a.near"})"), "/tx_hash");
    EXPECT_EQ(pointer(R"({"tx_hash":")" + kHash + R"("})"), "/sender_id");
    EXPECT_EQ(pointer(item(kHash, "Alice")), "/sender_id");
    EXPECT_EQ(pointer(item(kHash, "a\\u0000b")), "/sender_id");
    EXPECT_EQ(pointer(R"({"tx_hash":")" + kHash + R"(","sender_id":"a.near","a/b~":1})"), "/a~1b~0");
    EXPECT_EQ(pointer(std::string(1 << 20, '[')), "");
    EXPECT_EQ(database_.questions, 0);
}

TEST_F(WatchesTest, ManyAreTakenEachForItself) {
    watches_.rows[kOther].tx_hash = kOther;
    watches_.rows[kOther].sender_id = "bob.near";
    const auto body =
        answer(post("/v1/watches", "[" + item(kHash, "alice.near") + "," + item(kHash, "alice.near") + "," +
                                       item(kOther, "carol.near") + ",7," + item(kHash, "no account") + "]"));
    EXPECT_EQ(body["created"], 1);
    EXPECT_EQ(body["exists"], 1);
    EXPECT_EQ(body["refused"], 3);
    const auto& results = body["results"];
    EXPECT_EQ(results[0]["status"], "created");
    EXPECT_EQ(results[0]["stage"], "accepted");
    EXPECT_EQ(results[1]["status"], "exists");
    EXPECT_EQ(results[2]["problem"]["status"], 409);
    EXPECT_EQ(results[2]["problem"]["pointer"], "/2/sender_id");
    EXPECT_EQ(results[3]["problem"]["pointer"], "/3");
    EXPECT_EQ(results[4]["problem"]["pointer"], "/4/sender_id");
}

TEST_F(WatchesTest, AnArrayOfNothingOrOfTooManyIsRefused) {
    problem(post("/v1/watches", "[]"), 400);
    std::string many = "[1";
    for (int i = 0; i < 1'000; ++i) many += ",1";
    problem(post("/v1/watches", many + "]"), 400);
    EXPECT_EQ(answer(post("/v1/watches", "[1,2]"))["refused"], 2);
    EXPECT_EQ(database_.questions, 0);
}

TEST_F(WatchesTest, ListsGoOnWhereTheyEnded) {
    for (const auto& hash : {kHash, kOther}) {
        watches_.rows[hash].tx_hash = hash;
        watches_.rows[hash].created_at = base::WallTime(std::chrono::seconds(1'000));
    }
    const auto first = answer(get("/v1/watches?limit=1"));
    ASSERT_EQ(first["watches"].size(), 1U);
    const auto cursor = first["next_cursor"].get<std::string>();
    EXPECT_EQ(cursor, "1000000000." + kHash);
    answer(get("/v1/watches?limit=1&cursor=" + cursor));
    EXPECT_EQ(watches_.asked.cursor, cursor);
    EXPECT_TRUE(answer(get("/v1/watches?limit=2"))["next_cursor"].is_null());
    for (const char* bad : {"x", "1.x", "-1.4XXtr7JrXpYrTj9RnVsbyyw1NDeaMzcQuyWKFRBPNaEh",
                            "9000000000000000000.4XXtr7JrXpYrTj9RnVsbyyw1NDeaMzcQuyWKFRBPNaEh"})
        EXPECT_EQ(problem(get(std::string("/v1/watches?cursor=") + bad), 400)["parameter"], "cursor");
}

TEST_F(WatchesTest, FiltersReachTheStore) {
    get("/v1/"
        "watches?stage=executing&verdict=callback_failed&sender_id=alice.near&idempotency_key=order-4711&"
        "open=true&limit=7&tx_hash=" +
        std::string(kHash));
    EXPECT_EQ(watches_.asked.tx_hash, kHash);
    EXPECT_EQ(watches_.asked.stage, chain::Stage::executing);
    EXPECT_EQ(watches_.asked.verdict, chain::Verdict::callback_failed);
    EXPECT_EQ(watches_.asked.sender_id, "alice.near");
    EXPECT_EQ(watches_.asked.idempotency_key, "order-4711");
    EXPECT_TRUE(watches_.asked.open_only);
    EXPECT_EQ(watches_.asked.limit, 8U);
    for (const char* bad : {"tx_hash=1", "stage=done", "verdict=good", "sender_id=A", "open=false", "open=1"})
        problem(get(std::string("/v1/watches?") + bad), 400);
}

TEST_F(WatchesTest, OneIsRemovedOnce) {
    post("/v1/watches", item(kHash, "alice.near"));
    EXPECT_EQ(remove("/v1/watches/" + kHash).status, 204);
    problem(remove("/v1/watches/" + kHash), 404);
    problem(get("/v1/watches/" + kHash), 404);
}

TEST_F(WatchesTest, APathThatIsNoHashIsNotFoundWithoutAsking) {
    for (const std::string& bad :
         {std::string("x"), kHash + "1", std::string("0x12"), std::string(5'000, '1')})
        problem(get("/v1/watches/" + bad), 404);
    problem(remove("/v1/watches/x"), 404);
    EXPECT_EQ(database_.questions, 0);
}

}  // namespace
}  // namespace receiptd::api
