#include "fakes.hpp"

#include <future>
#include <thread>

namespace receiptd::api {
namespace {

using namespace api::testing;

class TryRulesTest : public ApiTest {
protected:
    void SetUp() override {
        ApiTest::SetUp();
        // Nothing here depends on how long another thread takes.
        options_.trial_patience = std::chrono::minutes(1);
    }
    std::thread::id thread_of_answers() {
        std::promise<std::thread::id> told;
        base::asio::post(cpu_, [&] { told.set_value(std::this_thread::get_id()); });
        return told.get_future().get();
    }
    net::ServerReply check(const std::string& toml, const std::string& type = "application/toml",
                           const std::string& token = kToken) {
        Ask ask;
        ask.method = "POST";
        ask.target = "/v1/rules/check";
        ask.body = toml;
        ask.content_type = type;
        ask.token = token;
        return send(ask);
    }
    json refused(const std::string& body, int status = 400) {
        return problem(post("/v1/rules/test", body), status);
    }
};

TEST_F(TryRulesTest, ADraftIsCheckedAndEachFaultHasItsPlace) {
    checked_.rules = {"pay"};
    checked_.faults = {{false, 3, 8, "unknown kind \"fnding\""}, {true, 0, 0, "a warning"}};
    const auto told = answer(check("[[rule]]"));
    EXPECT_EQ(drafts_checked_, std::vector<std::string>{"[[rule]]"});
    EXPECT_NE(drafts_checked_on_, thread_of_answers()) << "a long draft would hold up everybody's answers";
    EXPECT_EQ(told["ok"], false);
    EXPECT_EQ(told["rules"], json({"pay"}));
    EXPECT_EQ(
        told["faults"][0],
        json({{"severity", "error"}, {"line", 3}, {"column", 8}, {"message", "unknown kind \"fnding\""}}));
    EXPECT_EQ(told["faults"][1]["severity"], "warning");
    EXPECT_TRUE(told["faults"][1]["line"].is_null());
}

TEST_F(TryRulesTest, ADraftMustBeShortTomlFromSomebodyWithTheToken) {
    EXPECT_EQ(header(check("{}", "application/json"), "Accept-Post"), "application/toml");
    problem(check("", "application/json"), 415);
    problem(check("", "text/plain"), 415);
    problem(check("", "application/toml", ""), 401);
    problem(check(std::string((256 << 10) + 1, '#')), 413);
    EXPECT_TRUE(drafts_checked_.empty());
}

TEST_F(TryRulesTest, HistoryTellsWhatRulesWouldHaveTold) {
    rehearsed_.subjects["failed_receipt"] = 37;
    rehearsed_.alerts = {{"failed_receipt:8Fh", "failed_receipt", "23fU", 150, {"payments"}}};
    rehearsed_.not_replayed = {"ends"};
    const auto told = answer(post("/v1/rules/test", R"({"from":100,"to":200,"rule":"payments"})"));
    EXPECT_EQ(told,
              json::parse(R"({"subjects":{"failed_receipt":37},"alerts":[{"alert_id":"failed_receipt:8Fh",
        "kind":"failed_receipt","tx_hash":"23fU","block_height":150,"rules":["payments"]}],
        "not_replayed":["ends"]})"));
    ASSERT_EQ(rehearsals_asked_.size(), 1U);
    EXPECT_EQ(rehearsals_asked_[0].rule, "payments");
    EXPECT_EQ(rehearsals_asked_[0].heights, (base::HeightRange{100, 200}));
}

TEST_F(TryRulesTest, TheHeightsAreBounded) {
    EXPECT_EQ(refused(R"({"from":0,"to":100000})")["pointer"], "/to");
    EXPECT_EQ(refused(R"({"from":2,"to":1})")["pointer"], "/from");
    EXPECT_EQ(refused(R"({"from":-1,"to":1})")["pointer"], "/from");
    EXPECT_EQ(refused(R"({"from":1})")["pointer"], "/to");
    EXPECT_EQ(refused(R"({"from":1,"to":18446744073709551615})")["pointer"], "/to");
    EXPECT_EQ(refused(R"({"from":1,"to":2,"rule":7})")["pointer"], "/rule");
    EXPECT_EQ(refused(R"({"from":1,"to":2,"rules":"a"})")["pointer"], "/rules");
    refused("[]");
    EXPECT_TRUE(rehearsals_asked_.empty());
    answer(post("/v1/rules/test", R"({"from":0,"to":99999})"));
}

TEST_F(TryRulesTest, WhatCannotBeTestedIsSaid) {
    refused(R"({"from":1,"to":2,"rule":"none"})", 404);
    rehearsal_refused_ = "this takes too long: try fewer heights, or one rule";
    EXPECT_EQ(refused(R"({"from":1,"to":2})", 422)["detail"], rehearsal_refused_);
    Ask ask;
    ask.method = "POST";
    ask.target = "/v1/rules/test";
    ask.body = R"({"from":1,"to":2})";
    ask.token = "";
    problem(send(ask), 401);
}

TEST_F(TryRulesTest, OneTestOfRulesIsUnderWayAtATimeAndOthersAreNotHeldUp) {
    options_.trial_patience = milliseconds(20);
    database_.away = true;
    refused(R"({"from":1,"to":2})", 503);
    database_.away = false;
    EXPECT_EQ(refused(R"({"from":1,"to":2})", 503)["detail"],
              "another test of rules is under way, and there is one at a time");
    answer(get("/v1/schemas"));
    database_.never.notify_all();
    io_.restart();
    io_.poll();
    answer(post("/v1/rules/test", R"({"from":1,"to":2})"));
}

}  // namespace
}  // namespace receiptd::api
