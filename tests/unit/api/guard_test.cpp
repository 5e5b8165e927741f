// Requests may read and write by the name that they call the server by, and by their token.
#include "fakes.hpp"

#include "chain/wire/base64.hpp"

namespace receiptd::api {
namespace {

using namespace api::testing;
using ::testing::HasSubstr;

std::string base64_text(std::string_view text) { return chain::base64_encode(chain::bytes_of(text)); }

class GuardTest : public ApiTest {
protected:
    int status_of(const std::string& path, const std::string& host, const std::string& target_host = "") {
        net::ServerRequest request;
        request.method = "GET";
        request.path = path;
        request.target_host = target_host;
        request.headers.push_back({"Host", host});
        return run_on(io_, api().handler()(std::move(request))).status;
    }
    net::ServerReply with(const std::string& path, const std::string& authorization) {
        net::ServerRequest request;
        request.method = "GET";
        request.path = path;
        if (!authorization.empty()) request.headers.push_back({"Authorization", authorization});
        return run_on(io_, api().handler()(std::move(request)));
    }
};

TEST_F(GuardTest, AddressesAndLocalhostAreAlwaysOurs) {
    for (const char* host : {"127.0.0.1", "127.0.0.1:9464", "192.0.2.7:9464", "[::1]:9464", "[fd00::7]",
                             "localhost", "LOCALHOST:9464", "localhost."})
        EXPECT_EQ(status_of("/v1/status", host), 200) << host;
}

// DNS rebinding: a browser's page of evil.example, whose name leads to us by now.
TEST_F(GuardTest, AForeignNameIsRefused) {
    for (const char* host : {"evil.example", "evil.example:9464", "localhost.evil.example",
                             "127.0.0.1.evil.example", "127.1", "evil.example@127.0.0.1", "[::1", "a b"})
        for (const char* path : {"/v1/status", "/metrics", "/v1/watches", "/openapi.json", "/nowhere"})
            EXPECT_EQ(status_of(path, host), 421) << host << path;
    EXPECT_EQ(database_.questions, 0);
}

TEST_F(GuardTest, ATargetsForeignNameIsRefusedWhateverTheHostSays) {
    EXPECT_EQ(status_of("/v1/status", "localhost", "evil.example"), 421);
    EXPECT_EQ(status_of("/v1/status", "evil.example", "localhost"), 421);
    EXPECT_EQ(status_of("/v1/status", "localhost", "127.0.0.1:9464"), 200);
}

TEST_F(GuardTest, NamesOfTheConfigurationAreOurs) {
    hosts_ = {"receiptd", "status.example.org"};
    EXPECT_EQ(status_of("/v1/status", "receiptd:9464"), 200);
    EXPECT_EQ(status_of("/v1/status", "Status.Example.org."), 200);
    EXPECT_EQ(status_of("/v1/status", "example.org"), 421);
}

TEST_F(GuardTest, ProbesAreAnsweredByAnyName) {
    EXPECT_EQ(status_of("/livez", "evil.example"), 200);
    EXPECT_EQ(status_of("/readyz", "evil.example"), 503);  // not ready, but answered
}

TEST_F(GuardTest, ReadsNeedTheReadTokenWhereThereIsOne) {
    read_token_ = base::Secret("the-token-of-readers");
    for (const char* path : {"/v1/status", "/v1/watches", "/metrics", "/openapi.json"}) {
        const auto refused = with(path, "");
        problem(refused, 401);
        EXPECT_THAT(header(refused, "WWW-Authenticate"), HasSubstr("Bearer"));
        problem(with(path, "Bearer the-token-of-reader"), 401);
        EXPECT_EQ(with(path, "Bearer the-token-of-readers").status, 200);
        EXPECT_EQ(with(path, "Bearer " + kToken).status, 200) << "who may write may read";
    }
    for (const char* probe : {"/livez", "/readyz"}) EXPECT_NE(with(probe, "").status, 401);
}

TEST_F(GuardTest, ABrowserSendsTheReadTokenAsAPassword) {
    read_token_ = base::Secret("the-token-of-readers");
    EXPECT_EQ(with("/v1/status", "Basic " + base64_text("eve:the-token-of-readers")).status, 200);
    const std::vector<std::string> wrong = {"the-token-of-readers", "the-token-of-readers:", ":",
                                            "eve:" + kToken};
    for (const auto& pair : wrong) problem(with("/v1/status", "Basic " + base64_text(pair)), 401);
    problem(with("/v1/status", "Basic !"), 401);
}

TEST_F(GuardTest, TheReadTokenWritesNothing) {
    read_token_ = base::Secret("the-token-of-readers");
    Ask ask;
    ask.method = "DELETE";
    ask.target = "/v1/watches/" + kHash;
    ask.token = "the-token-of-readers";
    problem(send(ask), 401);
}

TEST_F(GuardTest, MetricsMayBeOpen) {
    read_token_ = base::Secret("the-token-of-readers");
    metrics_are_open_ = true;
    EXPECT_EQ(with("/metrics", "").status, 200);
    problem(with("/v1/status", ""), 401);
}

TEST_F(GuardTest, ProbesAndMetricsHaveTheReserve) {
    const auto options = api().server_options();
    net::ServerRequest head;
    head.method = "GET";
    for (const char* path : {"/livez", "/readyz", "/metrics"}) {
        head.path = path;
        EXPECT_TRUE(options.is_probe(head)) << path;
    }
    for (const char* path : {"/v1/status", "/nowhere"}) {
        head.path = path;
        EXPECT_FALSE(options.is_probe(head)) << path;
    }
}

}  // namespace
}  // namespace receiptd::api
