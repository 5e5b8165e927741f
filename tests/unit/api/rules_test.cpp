#include "fakes.hpp"

namespace receiptd::api {
namespace {

using namespace api::testing;

class RulesTest : public ApiTest {
protected:
    net::ServerReply change(const std::string& method, const std::string& target,
                            const std::string& token = kToken) {
        Ask ask;
        ask.method = method;
        ask.target = target;
        ask.token = token;
        return send(ask);
    }
};

TEST_F(RulesTest, AreListedWithWhoTakesThem) {
    alert_rules_.stored.push_back(
        {"payments", 3, R"({"kind":"end"})", "here:1", "2026-01-01T00:00:00.000000Z", {"ops"}});
    const auto rules = answer(get("/v1/rules"))["rules"];
    ASSERT_EQ(rules.size(), 1U);
    EXPECT_EQ(rules[0]["name"], "payments");
    EXPECT_EQ(rules[0]["version"], 3);
    EXPECT_EQ(rules[0]["definition"]["kind"], "end");
    EXPECT_EQ(rules[0]["endpoints"], nlohmann::json({"ops"}));
}

TEST_F(RulesTest, AnAccountIsPutOnAListAndTakenOff) {
    alert_rules_.listed["treasury"];
    EXPECT_EQ(change("PUT", "/v1/lists/treasury/a.near").status, 204);
    EXPECT_EQ(change("PUT", "/v1/lists/treasury/a.near").status, 204) << "it is there already";
    EXPECT_EQ(answer(get("/v1/lists"))["lists"][0]["accounts"], 1);
    EXPECT_EQ(change("DELETE", "/v1/lists/treasury/a.near").status, 204);
    EXPECT_TRUE(alert_rules_.listed["treasury"].empty());
}

TEST_F(RulesTest, AListIsReadPageByPage) {
    alert_rules_.listed["treasury"] = {"a.near", "b.near", "c.near"};
    const auto first = answer(get("/v1/lists/treasury?limit=2"));
    EXPECT_EQ(first["accounts"], nlohmann::json({"a.near", "b.near"}));
    const auto second =
        answer(get("/v1/lists/treasury?limit=2&cursor=" + first["next_cursor"].get<std::string>()));
    EXPECT_EQ(second["accounts"], nlohmann::json({"c.near"}));
    EXPECT_TRUE(second["next_cursor"].is_null());
}

TEST_F(RulesTest, WhatCannotBeDoneIsSaid) {
    EXPECT_EQ(problem(change("PUT", "/v1/lists/none/a.near"), 404)["detail"],
              "there is no list \"none\": a [[list]] of a configuration makes one");
    problem(change("PUT", "/v1/lists/of-a-file/a.near"), 409);
    problem(change("PUT", "/v1/lists/treasury/No_Account!"), 400);
    problem(change("DELETE", "/v1/lists/treasury/a.near", ""), 401);
    problem(get("/v1/lists/none"), 404);
    problem(change("PUT", "/v1/lists/treasury"), 405);
    problem(change("PUT", "/v1/lists/treasury/a.near/more"), 404);
}

}  // namespace
}  // namespace receiptd::api
