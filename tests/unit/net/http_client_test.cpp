#include "base/coroutine.hpp"
#include "net_loop.hpp"
#include "sandbox/gateway/gzip.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::net {
namespace {

using namespace net::testing;
using sandbox::gzip;
using ::testing::HasSubstr;
using ::testing::Not;
using Outcome = base::Result<HttpResponse, TransportError>;
using std::chrono::milliseconds;

constexpr const char* kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

// Answers every request of every connection with `text`.
base::Task<void> answer_all(tcp::socket& socket, std::string text) {
    for (;;) co_await answer_once(socket, text);
}
Script always(std::string text) {
    return [text = std::move(text)](tcp::socket& socket, std::size_t) { return answer_all(socket, text); };
}

base::Task<void> say_nothing(tcp::socket& socket) { co_await read_all(socket); }
Script silent() {
    return [](tcp::socket& socket, std::size_t) { return say_nothing(socket); };
}

class HttpClientTest : public ::testing::Test {
protected:
    Outcome get(HttpClient& client, std::string method = "GET") {
        HttpRequest request;
        request.method = std::move(method);
        return run_on(io_, client.send(std::move(request)));
    }
    // One request to a server that says `text` and closes.
    Outcome ask(std::string text, std::string method = "GET") {
        ScriptedServer server(io_, says(std::move(text)));
        HttpClientOptions options = options_for(server.port());
        options.max_response_bytes = limit_;
        options.request_timeout = timeout_;
        HttpClient client(io_.get_executor(), options);
        return get(client, std::move(method));
    }
    void expect_body(const Outcome& outcome, std::string_view body) {
        ASSERT_TRUE(outcome.has_value()) << outcome.error().text;
        EXPECT_EQ(outcome->body, body);
        EXPECT_GE(outcome->body.capacity(), body.size() + 64);
    }
    void expect_fault(const Outcome& outcome, TransportFault fault) {
        ASSERT_TRUE(outcome.has_error());
        EXPECT_STREQ(to_string(outcome.error().fault), to_string(fault)) << outcome.error().text;
        EXPECT_THAT(outcome.error().text, HasSubstr("http://127.0.0.1:"));
    }

    asio::io_context io_{1};
    std::uint64_t limit_ = 1'000'000;
    milliseconds timeout_{5'000};
};

TEST_F(HttpClientTest, ReadsAnAnswerOfKnownLength) {
    const Outcome outcome = ask("HTTP/1.1 201 Created\r\nX-Thing: 7\r\nContent-Length: 5\r\n\r\nhello");
    expect_body(outcome, "hello");
    EXPECT_EQ(outcome->status, 201);
    EXPECT_EQ(outcome->header("x-thing"), "7");
    EXPECT_EQ(outcome->wire_bytes, 5U);
}

TEST_F(HttpClientTest, ReadsAChunkedAnswerWithExtensionsAndTrailers) {
    expect_body(ask("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                    "5;x=y\r\nhello\r\n6\r\n world\r\n0\r\nX-Trailer: 1\r\n\r\n"),
                "hello world");
}

// Beast keeps what it has of such a line, however long.
TEST_F(HttpClientTest, LinesOfChunksAndTrailersWithoutEndAreMalformed) {
    const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n";
    const std::string endless(500'000, 'x');
    expect_fault(ask(head + "1;" + endless), TransportFault::malformed);
    expect_fault(ask(head + "0\r\nX: " + endless), TransportFault::malformed);
}

TEST_F(HttpClientTest, FramingThatOutweighsTheBodyIsMalformed) {
    std::string text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    const std::string chunk = "1;" + std::string(1'000, 'x') + "\r\na\r\n";
    for (int i = 0; i < 1'000; ++i) text += chunk;
    expect_fault(ask(text + "0\r\n\r\n"), TransportFault::malformed);
}

TEST_F(HttpClientTest, ReadsUntilTheServerCloses) {
    expect_body(ask("HTTP/1.0 200 OK\r\n\r\nold server"), "old server");
    expect_body(ask("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"), "");
}

TEST_F(HttpClientTest, AnswersWithoutBodyEndWithTheirHead) {
    expect_body(ask("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", "HEAD"), "");
    expect_body(ask("HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n", "HEAD"), "");
    expect_body(ask("HTTP/1.1 204 No Content\r\n\r\n"), "");
    expect_body(ask("HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n"), "");
    expect_body(ask("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), "");
}

TEST_F(HttpClientTest, SkipsInterimAnswers) {
    expect_body(
        ask("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + std::string(kOk)),
        "ok");
    std::string endless;
    for (int i = 0; i < 100; ++i) endless += "HTTP/1.1 100 Continue\r\n\r\n";
    expect_fault(ask(endless), TransportFault::malformed);
    expect_fault(ask("HTTP/1.1 101 Switching Protocols\r\n\r\n"), TransportFault::malformed);
}

TEST_F(HttpClientTest, UnpacksGzipAndCountsWhatCame) {
    const std::string packed = gzip(std::string(50'000, 'a'));
    const Outcome outcome =
        ask("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: " + std::to_string(packed.size()) +
            "\r\n\r\n" + packed);
    expect_body(outcome, std::string(50'000, 'a'));
    EXPECT_EQ(outcome->wire_bytes, packed.size());
}

TEST_F(HttpClientTest, BombIsTooLarge) {
    const std::string bomb = gzip(std::string(2'000'000, 'a'));
    expect_fault(ask("HTTP/1.0 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + bomb), TransportFault::too_large);
}

TEST_F(HttpClientTest, ARequestMayLimitItsAnswerFurther) {
    for (const std::string& answer :
         {"HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n" + std::string(1'001, 'a'),
          "HTTP/1.0 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gzip(std::string(1'001, 'a'))}) {
        ScriptedServer server(io_, says(answer));
        HttpClient client(io_.get_executor(), options_for(server.port()));
        HttpRequest request;
        request.max_response_bytes = 1'000;
        expect_fault(run_on(io_, client.send(std::move(request))), TransportFault::too_large);
        EXPECT_TRUE(get(client).has_value());
    }
}

TEST_F(HttpClientTest, BrokenOrUnknownCodingIsMalformed) {
    expect_fault(ask("HTTP/1.0 200 OK\r\nContent-Encoding: gzip\r\n\r\n{}"), TransportFault::malformed);
    expect_fault(ask("HTTP/1.0 200 OK\r\nContent-Encoding: br\r\n\r\n{}"), TransportFault::malformed);
    expect_fault(ask("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
                 TransportFault::malformed);
}

TEST_F(HttpClientTest, TooLargeIsKnownFromTheLengthAlone) {
    expect_fault(ask("HTTP/1.1 200 OK\r\nContent-Length: 1000001\r\n\r\n"), TransportFault::too_large);
}

base::Task<void> stream_endlessly(tcp::socket& socket, std::string head, std::string piece) {
    co_await answer_once(socket, std::move(head));
    for (;;) co_await write_text(socket, piece);
}

TEST_F(HttpClientTest, EndlessAnswersAreTooLarge) {
    const std::string piece(4096, 'x');
    const std::pair<std::string, std::string> answers[] = {
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1000\r\n" + piece + "\r\n"},
        {"HTTP/1.0 200 OK\r\n\r\n", piece},
    };
    for (const auto& [head, repeated] : answers) {
        const Script script = [head = head, repeated = repeated](tcp::socket& socket, std::size_t) {
            return stream_endlessly(socket, head, repeated);
        };
        ScriptedServer server(io_, script);
        HttpClientOptions options = options_for(server.port());
        options.max_response_bytes = limit_;
        HttpClient client(io_.get_executor(), options);
        expect_fault(get(client), TransportFault::too_large);
    }
}

TEST_F(HttpClientTest, EndlessHeadIsMalformed) {
    expect_fault(ask("HTTP/1.1 200 OK\r\nX: " + std::string(100'000, 'x')), TransportFault::malformed);
}

TEST_F(HttpClientTest, TruncatedAnswersAreResets) {
    for (const char* text :
         {"", "HTTP/1.", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"})
        expect_fault(ask(text), TransportFault::reset);
}

TEST_F(HttpClientTest, NonsenseIsMalformed) {
    for (const char* text :
         {"nonsense\r\n\r\n", "HTTP/2.0 200 OK\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n",
          "SSH-2.0-OpenSSH_9.2\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5, 6\r\n\r\nhello",
          "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
          "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"})
        expect_fault(ask(text), TransportFault::malformed);
}

TEST_F(HttpClientTest, SlowAnswerTimesOut) {
    ScriptedServer server(io_, silent());
    HttpClient client(io_.get_executor(), options_for(server.port()));
    const Outcome outcome = run_on(io_, client.send({}, milliseconds(30)));
    expect_fault(outcome, TransportFault::timeout);
    EXPECT_THAT(outcome.error().text, HasSubstr("waiting for the answer: timed out"));
}

base::Task<void> promise_more(tcp::socket& socket) {
    co_await answer_once(socket, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    co_await read_all(socket);
}

TEST_F(HttpClientTest, AnswerThatStopsHalfwayTimesOut) {
    const Script script = [](tcp::socket& socket, std::size_t) { return promise_more(socket); };
    ScriptedServer server(io_, script);
    HttpClient client(io_.get_executor(), options_for(server.port()));
    expect_fault(run_on(io_, client.send({}, milliseconds(30))), TransportFault::timeout);
}

TEST_F(HttpClientTest, RefusedConnectionNamesTheOrigin) {
    tcp::acceptor closed(io_, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    const std::uint16_t port = closed.local_endpoint().port();
    closed.close();
    HttpClient client(io_.get_executor(), options_for(port));
    const Outcome outcome = get(client);
    expect_fault(outcome, TransportFault::connect);
    EXPECT_EQ(outcome.error().text,
              "http://127.0.0.1:" + std::to_string(port) + ": connect: Connection refused");
}

TEST_F(HttpClientTest, UnknownHostIsAResolveFault) {
    HttpClientOptions options = options_for(80);
    options.origin.host = "no such host.invalid";  // a space: refused by the resolver without a query
    HttpClient client(io_.get_executor(), options);
    const Outcome outcome = get(client);
    ASSERT_TRUE(outcome.has_error());
    EXPECT_EQ(outcome.error().fault, TransportFault::resolve) << outcome.error().text;
}

TEST_F(HttpClientTest, ConnectsByName) {
    ScriptedServer server(io_, says(kOk));
    HttpClientOptions options = options_for(server.port());
    options.origin.host = "localhost";
    HttpClient client(io_.get_executor(), options);
    expect_body(get(client), "ok");
}

TEST_F(HttpClientTest, UnsafeRequestIsRefusedWithoutBeingShown) {
    HttpClient client(io_.get_executor(), options_for(1));
    HttpRequest request;
    request.target = "/?apiKey=hunter2\r\nX: y";
    const Outcome outcome = run_on(io_, client.send(request));
    expect_fault(outcome, TransportFault::malformed);
    EXPECT_THAT(outcome.error().text, Not(HasSubstr("hunter2")));
}

TEST_F(HttpClientTest, ConnectionIsKeptForTheNextRequest) {
    ScriptedServer server(io_, always(kOk));
    HttpClient client(io_.get_executor(), options_for(server.port()));
    for (int i = 0; i < 5; ++i) expect_body(get(client), "ok");
    EXPECT_EQ(server.connections(), 1U);
}

TEST_F(HttpClientTest, ConnectionIsNotKeptWhenTheServerOrTheAnswerForbidsIt) {
    for (const char* text : {"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
                             "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
                             "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more than was promised"}) {
        ScriptedServer server(io_, always(text));
        HttpClient client(io_.get_executor(), options_for(server.port()));
        for (int i = 0; i < 2; ++i) expect_body(get(client), "ok");
        EXPECT_EQ(server.connections(), 2U);
    }
}

TEST_F(HttpClientTest, KeptConnectionThatIsTooOldIsDropped) {
    ScriptedServer server(io_, always(kOk));
    HttpClientOptions options = options_for(server.port());
    options.idle_timeout = milliseconds(-1);  // older than that at once
    HttpClient client(io_.get_executor(), options);
    for (int i = 0; i < 2; ++i) expect_body(get(client), "ok");
    EXPECT_EQ(server.connections(), 2U);
}

TEST_F(HttpClientTest, ConnectionInUseForLongIsReplacedSoThatItsNameIsLookedUpAgain) {
    ScriptedServer server(io_, always(kOk));
    HttpClientOptions options = options_for(server.port());
    options.longest_kept = milliseconds(0);
    HttpClient client(io_.get_executor(), options);
    for (int i = 0; i < 3; ++i) expect_body(get(client), "ok");
    EXPECT_EQ(server.connections(), 3U);
}

// Answers one request and closes when the second has come.
base::Task<void> answer_then_close_late(tcp::socket& socket) {
    co_await answer_once(socket, kOk);
    co_await read_head(socket);
}

TEST_F(HttpClientTest, StaleConnectionIsReplacedOnce) {
    const Script script = [](tcp::socket& socket, std::size_t) { return answer_then_close_late(socket); };
    ScriptedServer server(io_, script);
    HttpClient client(io_.get_executor(), options_for(server.port()));
    for (int i = 0; i < 3; ++i) expect_body(get(client), "ok");
    EXPECT_EQ(server.connections(), 3U);
}

base::Task<void> answer_on_first_connection_only(tcp::socket& socket, std::size_t number) {
    if (number == 0) co_await answer_once(socket, kOk);
    co_await read_head(socket);
}

TEST_F(HttpClientTest, FreshConnectionIsNotRetried) {
    const Script script = [](tcp::socket& socket, std::size_t number) {
        return answer_on_first_connection_only(socket, number);
    };
    ScriptedServer server(io_, script);
    HttpClient client(io_.get_executor(), options_for(server.port()));
    expect_body(get(client), "ok");
    expect_fault(get(client), TransportFault::reset);
    EXPECT_EQ(server.connections(), 2U);
}

base::Task<void> answer_then_break(tcp::socket& socket) {
    co_await answer_once(socket, kOk);
    co_await answer_once(socket, "HTTP/1.1 2");
}

TEST_F(HttpClientTest, BegunAnswerIsNotAskedForAgain) {
    const Script script = [](tcp::socket& socket, std::size_t) { return answer_then_break(socket); };
    ScriptedServer server(io_, script);
    HttpClient client(io_.get_executor(), options_for(server.port()));
    expect_body(get(client), "ok");
    expect_fault(get(client), TransportFault::reset);
    EXPECT_EQ(server.connections(), 1U);
}

base::Task<void> refuse_early(tcp::socket& socket) {
    co_await read_head(socket);
    co_await write_text(socket, "HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nbig");
    socket.shutdown(tcp::socket::shutdown_send);
    co_await read_all(socket);
}

TEST_F(HttpClientTest, LargeRequestBodyArrivesAndEarlyRefusalIsRead) {
    const Script script = [](tcp::socket& socket, std::size_t) { return refuse_early(socket); };
    ScriptedServer server(io_, script);
    HttpClient client(io_.get_executor(), options_for(server.port()));
    HttpRequest request;
    request.method = "POST";
    request.body = std::string(5'000'000, 'x');
    const Outcome outcome = run_on(io_, client.send(request));
    expect_body(outcome, "big");
    EXPECT_EQ(outcome->status, 413);
}

}  // namespace
}  // namespace receiptd::net
