#include "fakes.hpp"

namespace receiptd::api {
namespace {

using namespace api::testing;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

class RouterTest : public ApiTest {};

TEST_F(RouterTest, ThePagesAnswerWithoutTheDatabase) {
    database_.away = true;
    EXPECT_EQ(get("/livez").body, "ok\n");
    EXPECT_EQ(get("/metrics").body, "receiptd_up 1\n");
    EXPECT_EQ(get("/readyz").status, 503);
    status_.version = "1.2.3";
    EXPECT_EQ(answer(get("/v1/status"))["version"], "1.2.3");
    EXPECT_EQ(database_.questions, 0);
}

TEST_F(RouterTest, WhatIsNowhereIsNotFound) {
    for (const char* path : {"/", "/v1", "/v1/watches/", "/v1/watches/a/b", "/v2/watches", "/V1/watches",
                             "/v1/transactions/", "*"})
        problem(get(path), 404);
}

TEST_F(RouterTest, APathThatIsNoTextIsNotFound) {
    for (const std::string& path : {std::string("/v1/lists/\xff"), std::string("/v1/watches/\xc3\x28"),
                                    std::string("/v1/lists/a\0b", 13)})
        problem(get(path), 404);
    EXPECT_EQ(database_.questions, 0);
}

TEST_F(RouterTest, NoAnswerIsForOtherSites) {
    for (const char* path :
         {"/livez", "/v1/watches", "/v1/watches/none", "/v1/transactions/x/tree.svg", "/nowhere"}) {
        const auto reply = get(path);
        EXPECT_EQ(header(reply, "Cross-Origin-Resource-Policy"), "same-origin") << path;
        EXPECT_EQ(header(reply, "X-Content-Type-Options"), "nosniff") << path;
    }
}

TEST_F(RouterTest, AnotherMethodIsToldWhichThereAre) {
    EXPECT_EQ(header(remove("/v1/watches"), "Allow"), "GET, HEAD, POST");
    EXPECT_EQ(header(post("/v1/watches/" + kHash, "{}"), "Allow"), "GET, HEAD, DELETE");
    EXPECT_EQ(header(get("/v1/rules/check"), "Allow"), "POST");
    EXPECT_EQ(header(post("/livez", ""), "Allow"), "GET, HEAD");
    Ask preflight;
    preflight.method = "OPTIONS";
    preflight.target = "/v1/watches";
    const auto refused = send(preflight);
    problem(refused, 405);
    EXPECT_EQ(header(refused, "Access-Control-Allow-Origin"), "");
}

TEST_F(RouterTest, HeadIsAnsweredAsGet) {
    Ask head;
    head.method = "HEAD";
    head.target = "/v1/findings";
    answer(send(head));
}

TEST_F(RouterTest, WithoutATokenNobodyWritesAndTheAnswerSaysWhichKeyToSet) {
    token_ = base::Secret();
    const auto body = problem(post("/v1/watches", "{}"), 403);
    EXPECT_THAT(body["detail"].get<std::string>(), HasSubstr("set http.token_env or http.token_file"));
    problem(remove("/v1/watches/" + kHash), 403);
    problem(post("/v1/transactions", "{}"), 403);
    EXPECT_EQ(get("/v1/watches").status, 200);
}

TEST_F(RouterTest, WritesNeedTheToken) {
    Ask ask;
    ask.method = "DELETE";
    ask.target = "/v1/watches/" + kHash;
    ask.token = "";
    auto refused = send(ask);
    problem(refused, 401);
    EXPECT_EQ(header(refused, "WWW-Authenticate"), "Bearer realm=\"receiptd\"");
    for (const std::string& wrong :
         {kToken + "x", kToken.substr(1), std::string("a"), std::string(10'000, 'a')}) {
        ask.token = wrong;
        refused = send(ask);
        EXPECT_THAT(refused.body, Not(HasSubstr(kToken)));
        problem(refused, 401);
        EXPECT_EQ(header(refused, "WWW-Authenticate"), "Bearer realm=\"receiptd\", error=\"invalid_token\"");
    }
    ask.token = kToken;
    problem(send(ask), 404);  // it is not watched
}

TEST_F(RouterTest, ATokenThatIsReplacedCountsFromThenOn) {
    token_ = base::Secret("another-token-of-16");
    problem(post("/v1/watches", "{}"), 401);
}

TEST_F(RouterTest, WhatABrowserSendsToAnotherOriginUnaskedIsNoWrite) {
    for (const char* type : {"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data",
                             "text/plain; application/json", "application/json2"}) {
        Ask ask;
        ask.method = "POST";
        ask.target = "/v1/watches";
        ask.content_type = type;
        ask.body = R"({"tx_hash":")" + kHash + R"(","sender_id":"a.near"})";
        problem(send(ask), 415);
    }
    EXPECT_TRUE(watches_.rows.empty());
    Ask ask;
    ask.method = "POST";
    ask.target = "/v1/watches";
    ask.content_type = "Application/JSON ; charset=utf-8";
    ask.body = R"({"tx_hash":")" + kHash + R"(","sender_id":"a.near"})";
    EXPECT_EQ(send(ask).status, 201);
}

TEST_F(RouterTest, ADatabaseThatIsAwayIsToldSoonAndAsks64TimesAtMost) {
    options_.database.patience = milliseconds(1);
    database_.away = true;
    for (int i = 0; i < 70; ++i) {
        const auto refused = get("/v1/watches");
        problem(refused, 503);
        EXPECT_EQ(header(refused, "Retry-After"), "5");
    }
    EXPECT_EQ(database_.questions, 64);
    database_.away = false;
    database_.never.notify_all();
    io_.restart();
    io_.run();  // until the pages of all calls are written
    EXPECT_EQ(get("/v1/watches").status, 200);
}

TEST_F(RouterTest, AStoppingDaemonAndABrokenDatabaseSayWhoseFaultItIs) {
    database_.stopped = true;
    problem(get("/v1/findings"), 503);
    database_.stopped = false;
    database_.broken = true;
    const auto refused = get("/v1/findings");
    problem(refused, 500);
    EXPECT_THAT(refused.body, Not(HasSubstr("secret table")));
}

TEST_F(RouterTest, AQuestionThatTakesTheDatabaseTooLongIsToBeNarrowed) {
    database_.slow = true;
    const auto refused = get("/v1/findings?kind=unknown");
    EXPECT_THAT(problem(refused, 503)["detail"].get<std::string>(), HasSubstr("ask for less"));
    EXPECT_EQ(header(refused, "Retry-After"), "5");
}

TEST_F(RouterTest, StopEndsCallsThatNobodyWaitsForAnyMore) {
    database_.away = true;
    problem(get("/v1/watches"), 503);
    api().stop();
    io_.restart();
    EXPECT_GT(io_.poll(), 0U);
    io_.restart();
    io_.run();  // nothing is left under way
}

TEST_F(RouterTest, ParametersThatItDoesNotKnowAreRefused) {
    for (const char* query :
         {"stagee=final", "limit=0", "limit=1001", "limit=x", "limit=-1", "limit=", "limit=1&limit=2",
          "stage=%zz", "sender_id=%C3%A4", "limit=99999999999999999999"})
        problem(get(std::string("/v1/watches?") + query), 400);
    EXPECT_EQ(problem(get("/v1/watches?limit=0"), 400)["parameter"], "limit");
    EXPECT_EQ(database_.questions, 0);
}

TEST_F(RouterTest, TheStatusTakesNoParametersAndTheProbesPassThemOver) {
    for (const char* page : {"/v1/watches/", "/v1/transactions/"}) problem(get(page + kHash + "?x=1"), 400);
    EXPECT_THAT(problem(get("/v1/status?verbose=true"), 400)["detail"].get<std::string>(),
                HasSubstr("there are: none"));
    for (const char* page : {"/livez?x=1", "/metrics?x=1"}) EXPECT_EQ(get(page).status, 200);
}

TEST_F(RouterTest, RequestsAreCountedByRouteNotByPath) {
    get("/v1/watches/" + kHash);
    get("/v1/watches/" + kOther);
    get("/nowhere");
    const auto text = registry_.serialize();
    EXPECT_THAT(text,
                HasSubstr("receiptd_http_requests_total{route=\"/v1/watches/{hash}\",status=\"404\"} 2"));
    EXPECT_THAT(text, Not(HasSubstr("nowhere")));
}

TEST(Refusal, OfTheServerItselfIsAProblemToo) {
    const auto reply = refusal(413, "the request is too large");
    EXPECT_EQ(reply.status, 413);
    const auto body = nlohmann::json::parse(reply.body);
    EXPECT_EQ(body["title"], "Content Too Large");
    EXPECT_EQ(body["detail"], "the request is too large");
}

TEST_F(RouterTest, WhatIsRefusedByItsHeadIsRefusedBeforeItsBodyIsRead) {
    const auto options = api().server_options();
    EXPECT_EQ(options.max_request_bytes, 4U << 20);
    net::ServerRequest head;
    head.method = "POST";
    head.path = "/v1/watches";
    head.headers = {{"Content-Type", "application/json"}, {"Content-Length", "1000"}};
    problem(options.refuse_head(head).value(), 401);
    head.headers.push_back({"Authorization", "Bearer " + kToken});
    EXPECT_FALSE(options.refuse_head(head));
    head.path = "/nowhere";
    problem(options.refuse_head(head).value(), 404);
    head.path = "/v1/stream";
    problem(options.refuse_head(head).value(), 405);
    head.method = "GET";
    problem(options.refuse_head(head).value(), 413);
    EXPECT_EQ(database_.questions, 0);
}

}  // namespace
}  // namespace receiptd::api
