#include "fakes.hpp"

namespace receiptd::api {
namespace {

using namespace api::testing;
using namespace std::chrono_literals;

class SilencesTest : public ApiTest {
protected:
    net::ServerReply ask(const std::string& method, const std::string& target, const std::string& body = {}) {
        Ask asked;
        asked.method = method;
        asked.target = target;
        asked.token = kToken;
        asked.body = body;
        return send(asked);
    }
    std::string refused(const std::string& body) {
        return problem(ask("POST", "/v1/silences", body), 400)["detail"];
    }
};

const std::string kDexForTwoHours =
    R"({"matcher": {"contract": ["*.dex.near"]}, "reason": "upgrade", "author": "eve", "for": "2h"})";

TEST_F(SilencesTest, OneIsMadeListedAndEnded) {
    const auto made = answer(ask("POST", "/v1/silences", kDexForTwoHours), 201);
    EXPECT_EQ(made["silence_id"], 1);
    EXPECT_EQ(made["matcher"]["contract"][0], "*.dex.near");
    ASSERT_EQ(silences_.added.size(), 1U);
    EXPECT_EQ(silences_.added[0].lasts, 2h);
    EXPECT_EQ(answer(get("/v1/silences"))["silences"].size(), 1U);
    const auto ended = answer(ask("DELETE", "/v1/silences/1?by=adam"));
    EXPECT_EQ(ended["state"], "over");
    EXPECT_EQ(ended["ended_by"], "adam");
    EXPECT_EQ(answer(get("/v1/silences"))["silences"].size(), 0U);
    EXPECT_EQ(answer(get("/v1/silences?all=true"))["silences"].size(), 1U);
}

TEST_F(SilencesTest, WhatIsWrongWithOneIsSaid) {
    EXPECT_EQ(refused("[]"), "must be an object {matcher, reason, author, for | ends_at, starts_at?}");
    EXPECT_EQ(refused(R"({"reason": "r", "author": "a", "for": "2h"})"), "is missing");
    EXPECT_EQ(refused(R"({"matcher": {}, "reason": "r", "author": "a", "for": "2h"})"),
              "needs at least one of account, contract, endpoint, error_class, kind, method, rule; \"*\" "
              "matches everything");
    EXPECT_EQ(refused(R"({"matcher": {"rule": "a"}, "reason": "r", "author": "a"})"),
              "give either \"for\", such as \"2h\", or \"ends_at\"");
    EXPECT_EQ(refused(R"({"matcher": {"rule": "a"}, "reason": "r", "author": "a", "for": "two hours"})"),
              "must be a duration such as \"2h\" or \"30m\"");
    EXPECT_EQ(refused(R"({"matcher": {"rule": "a"}, "reason": "r", "author": "a", "ends_at": "soon"})"),
              "must be a time such as 2026-01-31T12:00:00Z");
    EXPECT_EQ(refused(R"({"matcher": {"rule": "a"}, "author": "a", "for": "2h"})"), "is missing");
    problem(ask("DELETE", "/v1/silences/7"), 404);
    problem(ask("DELETE", "/v1/silences/x"), 404);
    problem(get("/v1/silences?all=perhaps"), 400);
}

}  // namespace
}  // namespace receiptd::api
