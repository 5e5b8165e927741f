#include "fakes.hpp"

namespace receiptd::api {
namespace {

using namespace api::testing;

class EndpointsTest : public ApiTest {
protected:
    void SetUp() override {
        ApiTest::SetUp();
        storage::EndpointRow ops;
        ops.name = "ops";
        ops.rules = {"payments"};
        ops.active = false;
        ops.off_since = "2026-01-01T00:00:00.000000Z";
        ops.pending = 3;
        endpoints_.rows = {ops};
    }
    net::ServerReply ask(const std::string& target, const std::string& token = kToken,
                         const std::string& body = "") {
        Ask asked;
        asked.method = "POST";
        asked.target = target;
        asked.token = token;
        asked.content_type = "";
        asked.body = body;
        return send(asked);
    }
};

TEST_F(EndpointsTest, AreListedWithTheirBacklogAndWhyTheyAreOff) {
    const auto ops = answer(get("/v1/endpoints"))["endpoints"][0];
    EXPECT_EQ(ops["name"], "ops");
    EXPECT_EQ(ops["rules"], nlohmann::json({"payments"}));
    EXPECT_EQ(ops["pending"], 3);
    EXPECT_EQ(ops["off_because"], "it answered 410 Gone");
    EXPECT_TRUE(ops["oldest_pending_at"].is_null());
    problem(get("/v1/endpoints?state=on"), 400);
}

TEST_F(EndpointsTest, OneThatIsOffIsSwitchedOn) {
    EXPECT_EQ(answer(ask("/v1/endpoints/ops/enable"))["switched_on"], true);
    EXPECT_EQ(answer(ask("/v1/endpoints/ops/enable"))["switched_on"], false) << "it is on already";
    EXPECT_TRUE(answer(get("/v1/endpoints"))["endpoints"][0]["off_because"].is_null());
    problem(ask("/v1/endpoints/none/enable"), 404);
    problem(ask("/v1/endpoints/a\xff/enable"), 404);
    problem(ask("/v1/endpoints/ops/enable", ""), 401);
}

TEST_F(EndpointsTest, ATestTellsWhatTheEndpointSaid) {
    EndpointAnswer said;
    said.accepted = true;
    said.status = 204;
    said.body = "thanks \xff";
    endpoint_answers_["ops"] = said;
    const auto told = answer(ask("/v1/endpoints/ops/test"));
    EXPECT_EQ(told["accepted"], true);
    EXPECT_EQ(told["status"], 204);
    EXPECT_EQ(told["body"], "thanks \xef\xbf\xbd");
    EXPECT_TRUE(told["error"].is_null());
    EndpointAnswer silent;
    silent.error = "connection refused";
    endpoint_answers_["ops"] = silent;
    const auto refused = answer(ask("/v1/endpoints/ops/test"));
    EXPECT_EQ(refused["accepted"], false);
    EXPECT_TRUE(refused["status"].is_null());
    EXPECT_TRUE(refused["body"].is_null());
    EXPECT_EQ(refused["error"], "connection refused");
    problem(ask("/v1/endpoints/of-another-daemon/test"), 404);
    problem(ask("/v1/endpoints/ops/test", ""), 401);
}

}  // namespace
}  // namespace receiptd::api
