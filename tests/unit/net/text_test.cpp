#include "net/fields.hpp"
#include "net/gzip.hpp"
#include "net/reply_text.hpp"
#include "net/request_text.hpp"
#include "net/server_request.hpp"
#include "sandbox/gateway/gzip.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::net {
namespace {

using sandbox::gzip;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Fields, NamesAreFoundInAnyCase) {
    const std::vector<Header> headers = {{"Content-Type", "a"}, {"X-Y", "b"}, {"x-y", "c"}};
    EXPECT_EQ(find_header(headers, "content-TYPE"), "a");
    EXPECT_EQ(find_header(headers, "X-Y"), "b");
    EXPECT_EQ(find_header(headers, "absent"), "");
}

TEST(Fields, WordsOfAListAreFound) {
    EXPECT_TRUE(lists_word("keep-alive, Close", "close"));
    EXPECT_TRUE(lists_word(" close ", "close"));
    EXPECT_FALSE(lists_word("closed", "close"));
    EXPECT_FALSE(lists_word("", "close"));
    EXPECT_FALSE(lists_word(",,", "close"));
}

TEST(Fields, DatesAreInTheFormOfTheStandard) {
    EXPECT_EQ(http_date(std::chrono::system_clock::from_time_t(784111777)), "Sun, 06 Nov 1994 08:49:37 GMT");
    EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT"),
              std::chrono::sys_seconds(std::chrono::seconds(784111777)));
    for (const char* bad :
         {"", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 31 Feb 1994 08:49:37 GMT",
          "Sun, -6 Nov 1994 08:49:37 GMT", "Sun, 06 Now 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"})
        EXPECT_EQ(parse_http_date(bad), std::nullopt) << bad;
}

TEST(Fields, PercentEncodingIsUndoneOrRefused) {
    EXPECT_EQ(percent_decode("a%20b%2Fc+d", false), "a b/c+d");
    EXPECT_EQ(percent_decode("a+b", true), "a b");
    for (const char* broken : {"%", "%4", "%zz", "a%00b", "%4g"}) EXPECT_FALSE(percent_decode(broken, true));
}

TEST(Gzip, RoundTripKeepsTextAndLeavesSpareCapacity) {
    for (const std::size_t size : {0UL, 1UL, 1000UL, 1'000'000UL}) {
        std::string text(size, 'x');
        for (std::size_t i = 0; i < size; i += 7) text[i] = static_cast<char>(i * 31);
        const auto plain = gunzip(gzip(text), size);
        ASSERT_TRUE(plain.has_value());
        EXPECT_EQ(*plain, text);
        EXPECT_GE(plain->capacity(), size + 64);
    }
}

TEST(Gzip, SeveralMembersAreOneText) {
    const auto plain = gunzip(gzip("first ") + gzip("second"), 12);
    ASSERT_TRUE(plain.has_value());
    EXPECT_EQ(*plain, "first second");
    EXPECT_EQ(gunzip(gzip("first ") + gzip("second"), 11).error(), GunzipFault::too_large);
}

TEST(Gzip, OfAFewMembersOnlyIsUnpacked) {
    std::string text;
    for (int i = 0; i < 8; ++i) text += gzip("x");
    EXPECT_TRUE(gunzip(text, 100).has_value());
    EXPECT_EQ(gunzip(text + gzip(""), 100).error(), GunzipFault::malformed);
}

TEST(Gzip, BombIsRefusedByItsStatedSize) {
    const std::string bomb = gzip(std::string(10'000'000, '\0'));
    EXPECT_EQ(gunzip(bomb, 9'999'999).error(), GunzipFault::too_large);
    EXPECT_TRUE(gunzip(bomb, 10'000'000).has_value());
}

TEST(Gzip, BombThatLiesAboutItsSizeIsRefusedToo) {
    std::string bomb = gzip(std::string(10'000'000, '\0'));
    bomb.replace(bomb.size() - 4, 4, std::string(4, '\0'));
    EXPECT_EQ(gunzip(bomb, 1'000'000).error(), GunzipFault::too_large);
    EXPECT_EQ(gunzip(bomb, 100'000'000).error(), GunzipFault::malformed);
}

TEST(Gzip, BrokenTextIsMalformed) {
    const std::string good = gzip("some text that is long enough to be cut somewhere in the middle");
    for (std::size_t size = 0; size < good.size(); ++size)
        EXPECT_EQ(gunzip(good.substr(0, size), 1'000'000'000).has_value(), false) << size;
    EXPECT_EQ(gunzip("<html>not gzip at all</html>", 1'000).error(), GunzipFault::malformed);
    EXPECT_EQ(gunzip(good + "garbage after the end", 1'000).error(), GunzipFault::malformed);
}

HttpClientOptions example_options() {
    HttpClientOptions options;
    options.origin.host = "example.org";
    options.user_agent = "receiptd/1";
    return options;
}

TEST(RequestText, HasWhatAServerNeeds) {
    HttpRequest request;
    request.target = "/a?b=c";
    request.headers.push_back({"Accept", "application/json"});
    const auto text = write_request(request, example_options());
    ASSERT_TRUE(text.has_value());
    EXPECT_EQ(
        text->head,
        "GET /a?b=c HTTP/1.1\r\nHost: example.org\r\nUser-Agent: receiptd/1\r\nAccept-Encoding: gzip\r\n"
        "Connection: keep-alive\r\nAccept: application/json\r\n\r\n");
}

TEST(RequestText, NamesThePortUnlessItIsTheSchemesOwn) {
    HttpClientOptions options = example_options();
    options.origin.port = 443;
    EXPECT_THAT(write_request({}, options)->head, HasSubstr("\r\nHost: example.org:443\r\n"));
    options.origin.tls = true;
    EXPECT_THAT(write_request({}, options)->head, HasSubstr("\r\nHost: example.org\r\n"));
    options.origin.host = "::1";
    EXPECT_THAT(write_request({}, options)->head, HasSubstr("\r\nHost: [::1]\r\n"));
}

TEST(RequestText, StatesTheLengthOfABodyAndKeepsALargeOneApart) {
    HttpRequest request;
    request.method = "POST";
    EXPECT_THAT(write_request(request, example_options())->head, HasSubstr("\r\nContent-Length: 0\r\n"));
    request.body = "{}";
    EXPECT_THAT(write_request(request, example_options())->head, EndsWith("\r\nContent-Length: 2\r\n\r\n{}"));
    request.body = std::string(100'000, 'x');
    const auto text = write_request(request, example_options());
    EXPECT_THAT(text->head, EndsWith("\r\n\r\n"));
    EXPECT_EQ(text->body.size(), 100'000U);
}

TEST(RequestText, CallersHeaderReplacesTheClients) {
    HttpRequest request;
    request.headers = {{"host", "other.example"}, {"accept-encoding", "identity"}};
    const std::string head = write_request(request, example_options())->head;
    EXPECT_THAT(head, HasSubstr("host: other.example"));
    EXPECT_THAT(head, Not(HasSubstr("Host: example.org")));
    EXPECT_THAT(head, Not(HasSubstr("gzip")));
}

TEST(RequestText, RefusesWhatWouldBecomeASecondRequest) {
    const auto refused = [](const auto& change) {
        HttpRequest request;
        change(request);
        return !write_request(request, example_options()).has_value();
    };
    for (const char* target : {"", "a", "/a b", "/a\r\nX: y", "/a\n", "/\x7f", "/\xc3\xa4", "http://x/"})
        EXPECT_TRUE(refused([&](HttpRequest& request) { request.target = target; })) << target;
    for (const char* method : {"", "GET ", "G\r\n", "CONNECT"})
        EXPECT_TRUE(refused([&](HttpRequest& request) { request.method = method; })) << method;
    for (const char* name : {"", "A b", "A:", "A\r\nB", "Content-Length", "transfer-encoding", "Connection"})
        EXPECT_TRUE(refused([&](HttpRequest& request) { request.headers.push_back({name, "1"}); })) << name;
    EXPECT_TRUE(refused([&](HttpRequest& request) { request.headers.push_back({"A", "b\r\nC: d"}); }));
    EXPECT_FALSE(refused([&](HttpRequest& request) { request.headers.push_back({"A", "b\tc \xc3\xa4"}); }));
}

TEST(ServerRequest, TargetGivesPathAndQuery) {
    ServerRequest request;
    ASSERT_TRUE(read_target("/a%20b/c?x=1&y=%26", request));
    EXPECT_EQ(request.path, "/a b/c");
    EXPECT_EQ(request.query, "x=1&y=%26");
    ASSERT_TRUE(read_target("http://host:80/a?b", request));
    EXPECT_EQ(request.path, "/a");
    EXPECT_EQ(request.query, "b");
    ASSERT_TRUE(read_target("http://host?b", request));
    EXPECT_EQ(request.path, "/");
    EXPECT_EQ(request.query, "b");
    ASSERT_TRUE(read_target("*", request));
    EXPECT_FALSE(read_target("a", request));
    EXPECT_FALSE(read_target("", request));
    EXPECT_FALSE(read_target("/%", request));
    EXPECT_FALSE(read_target("/%00", request));
}

TEST(ServerRequest, QueryParametersAreDecoded) {
    ServerRequest request;
    request.query = "a=1&b=x%20y+z&c&=d&a=2&%66=g&h=%zz";
    EXPECT_EQ(request.query_parameter("a"), "1");
    EXPECT_EQ(request.query_parameter("b"), "x y z");
    EXPECT_EQ(request.query_parameter("c"), "");
    EXPECT_EQ(request.query_parameter("f"), "g");
    EXPECT_EQ(request.query_parameter("h"), "");
    EXPECT_EQ(request.query_parameter("absent"), "");
}

TEST(ReplyText, AddsLengthDateAndConnection) {
    ServerReply reply = plain_reply(404, "not here");
    reply.headers.push_back({"content-length", "99"});
    const std::string head = write_reply_head(reply, Framing::length, 9, true);
    EXPECT_THAT(head, StartsWith("HTTP/1.1 404 Not Found\r\nDate: "));
    EXPECT_THAT(head, EndsWith("\r\nContent-Length: 9\r\nConnection: keep-alive\r\n\r\n"));
    EXPECT_THAT(head, Not(HasSubstr("99")));
}

TEST(ReplyText, TellsTheTimeOfAReplyThatHasOne) {
    ServerReply reply = plain_reply(200, "ok");
    reply.headers.push_back({"Date", "Sun, 06 Nov 1994 08:49:37 GMT"});
    EXPECT_THAT(write_reply_head(reply, Framing::length, 3, true),
                StartsWith("HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Type"));
}

TEST(ReplyText, RefusesHeadersThatWouldEndTheHead) {
    ServerReply reply = plain_reply(200, "ok");
    EXPECT_TRUE(is_sound(reply));
    reply.headers.push_back({"X", "a\r\n\r\nb"});
    EXPECT_FALSE(is_sound(reply));
    EXPECT_FALSE(is_sound(plain_reply(100, "")));
}

}  // namespace
}  // namespace receiptd::net
