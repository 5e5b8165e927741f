#include "net/http_server.hpp"

#include "base/coroutine.hpp"
#include "net_loop.hpp"
#include "sandbox/gateway/gzip.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/asio/connect.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <system_error>

namespace receiptd::net {
namespace {

using namespace net::testing;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using Outcome = base::Result<HttpResponse, TransportError>;
using std::chrono::milliseconds;

// Sends `text` as it is and gives back all that comes until the server closes.
base::Task<std::string> converse(std::uint16_t port, std::string text) {
    tcp::socket socket(co_await asio::this_coro::executor);
    const tcp::endpoint endpoint(asio::ip::address_v4::loopback(), port);
    co_await socket.async_connect(endpoint, asio::use_awaitable);
    co_await write_text(socket, std::move(text));
    co_return co_await read_all(socket);
}

class HttpServerTest : public ::testing::Test {
protected:
    void serve(HttpServer::Handler handler) {
        server_.emplace(io_.get_executor(), options_, std::move(handler));
        server_->start();
    }
    std::string say(std::string text) { return run_on(io_, converse(server_->port(), std::move(text))); }
    Outcome send(HttpRequest request) {
        HttpClientOptions options = options_for(server_->port());
        options.max_response_bytes = 100'000'000;
        HttpClient client(io_.get_executor(), options);
        return run_on(io_, client.send(std::move(request)));
    }
    void run_until(const std::function<bool()>& condition) {
        io_.restart();
        while (!condition() && io_.run_one() > 0) {
        }
    }

    asio::io_context io_{1};
    HttpServerOptions options_;
    std::optional<HttpServer> server_;
};

base::Task<ServerReply> echo(ServerRequest request) {
    ServerReply reply;
    reply.headers.push_back({"Content-Type", "text/plain"});
    reply.body =
        request.method + " " + request.path + " [" + request.query_parameter("q") + "] " + request.body;
    co_return reply;
}

TEST_F(HttpServerTest, AnswersWhatItsHandlerSays) {
    serve(echo);
    HttpRequest request;
    request.method = "POST";
    request.target = "/a%20b?q=x%2By";
    request.body = "body";
    const Outcome outcome = send(request);
    ASSERT_TRUE(outcome.has_value()) << outcome.error().text;
    EXPECT_EQ(outcome->status, 200);
    EXPECT_EQ(outcome->body, "POST /a b [x+y] body");
    EXPECT_EQ(outcome->header("content-type"), "text/plain");
    EXPECT_THAT(std::string(outcome->header("Date")), EndsWith(" GMT"));
}

TEST_F(HttpServerTest, ServesPipelinedRequestsInOrder) {
    serve(echo);
    const std::string text =
        say("GET /1 HTTP/1.1\r\nHost: x\r\n\r\n"
            "POST /2 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
            "GET /3 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    const auto first = text.find("GET /1 [] ");
    const auto second = text.find("POST /2 [] abc");
    const auto third = text.find("GET /3 [] ");
    EXPECT_LT(first, second);
    EXPECT_LT(second, third);
    EXPECT_NE(third, std::string::npos);
}

TEST_F(HttpServerTest, HeadHasTheLengthButNotTheBody) {
    serve(echo);
    const std::string text = say("HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(text, HasSubstr("\r\nContent-Length: 10\r\n"));
    EXPECT_THAT(text, EndsWith("\r\n\r\n"));
}

TEST_F(HttpServerTest, OldClientsAreClosedAfterTheAnswerUnlessTheyAskToBeKept) {
    serve(echo);
    EXPECT_THAT(say("GET /old HTTP/1.0\r\n\r\n"), HasSubstr("GET /old"));
    const std::string kept =
        say("GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
            "GET /2 HTTP/1.0\r\n\r\n");
    EXPECT_THAT(kept, HasSubstr("Connection: keep-alive"));
    EXPECT_THAT(kept, HasSubstr("GET /2"));
}

base::Task<std::string> wait_for_continue(std::uint16_t port) {
    tcp::socket socket(co_await asio::this_coro::executor);
    const tcp::endpoint endpoint(asio::ip::address_v4::loopback(), port);
    co_await socket.async_connect(endpoint, asio::use_awaitable);
    co_await write_text(socket,
                        "POST /c HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\n"
                        "Content-Length: 4\r\n\r\n");
    std::string interim = co_await read_head(socket);
    co_await write_text(socket, "body");
    co_return interim + co_await read_all(socket);
}

TEST_F(HttpServerTest, TellsAWaitingClientToContinue) {
    serve(echo);
    const std::string text = run_on(io_, wait_for_continue(server_->port()));
    EXPECT_THAT(text, StartsWith("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(text, EndsWith("POST /c [] body"));
}

TEST_F(HttpServerTest, TooLargeRequestsAreRefusedEvenWhileTheyAreSent) {
    options_.max_request_bytes = 1'000;
    serve(echo);
    EXPECT_THAT(say("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n"),
                StartsWith("HTTP/1.1 413 "));
    EXPECT_THAT(say("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n"),
                StartsWith("HTTP/1.1 413 "));
    EXPECT_THAT(say("GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(100'000, 'x') + "\r\n\r\n"),
                StartsWith("HTTP/1.1 431 "));
    HttpRequest request;
    request.method = "POST";
    request.body = std::string(5'000'000, 'x');
    const Outcome outcome = send(request);
    ASSERT_TRUE(outcome.has_value()) << outcome.error().text;
    EXPECT_EQ(outcome->status, 413);
    EXPECT_THAT(std::string(outcome->header("Content-Type")), HasSubstr("text/plain"));
}

TEST_F(HttpServerTest, NonsenseIsABadRequest) {
    serve(echo);
    for (const char* text :
         {"nonsense\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET noslash HTTP/1.1\r\nHost: x\r\n\r\n",
          "GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/3.0\r\nHost: x\r\n\r\n",
          "GET /\r\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\nHost : x\r\n\r\n",
          "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
          "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n",
          "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"})
        EXPECT_THAT(say(text), StartsWith("HTTP/1.1 400 ")) << text;
}

TEST_F(HttpServerTest, SilentClientIsClosedAndSlowOneIsTold) {
    options_.idle_timeout = milliseconds(30);
    serve(echo);
    EXPECT_THAT(say(""), IsEmpty());
    EXPECT_THAT(say("GET / HTTP/1.1\r\nHo"), StartsWith("HTTP/1.1 408 "));
}

base::Task<ServerReply> fail(ServerRequest) {
    throw std::runtime_error("the secret cause");
    co_return ServerReply();
}
base::Task<ServerReply> hang_up(ServerRequest) {
    throw HangUp();
    co_return ServerReply();
}
base::Task<ServerReply> split_header(ServerRequest) {
    ServerReply reply;
    reply.headers.push_back({"X", "a\r\nSet-Cookie: b"});
    co_return reply;
}

TEST_F(HttpServerTest, FailingHandlerGivesAnErrorWithoutDetails) {
    serve(fail);
    const std::string text = say("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(text, StartsWith("HTTP/1.1 500 Internal Server Error\r\n"));
    EXPECT_THAT(text, ::testing::Not(HasSubstr("secret")));
    serve(split_header);
    EXPECT_THAT(say("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"), StartsWith("HTTP/1.1 500 "));
}

TEST_F(HttpServerTest, AHandlerThatHangsUpResetsTheConnection) {
    serve(hang_up);
    EXPECT_EQ(send({}).error().fault, TransportFault::reset);
}

HttpServer::Handler replying(ServerReply reply) {
    struct Copy {
        static base::Task<ServerReply> make(ServerReply copy) { co_return copy; }
    };
    return [reply = std::move(reply)](ServerRequest) { return Copy::make(reply); };
}

TEST_F(HttpServerTest, SharedBodyGoesOutWhole) {
    ServerReply reply;
    std::string text;
    for (int i = 0; text.size() < 3'000'000; ++i) text += std::to_string(i);
    reply.shared_body = std::make_shared<const std::string>(text);
    serve(replying(reply));
    const Outcome outcome = send({});
    ASSERT_TRUE(outcome.has_value()) << outcome.error().text;
    EXPECT_TRUE(outcome->body == text);
    EXPECT_GE(outcome->body.capacity(), text.size() + 64);
}

TEST_F(HttpServerTest, GzipRoundTrip) {
    ServerReply reply;
    reply.headers.push_back({"Content-Encoding", "gzip"});
    reply.body = sandbox::gzip(std::string(100'000, 'z'));
    serve(replying(reply));
    const Outcome outcome = send({});
    ASSERT_TRUE(outcome.has_value()) << outcome.error().text;
    EXPECT_EQ(outcome->body, std::string(100'000, 'z'));
}

TEST_F(HttpServerTest, StatusWithoutBodyHasNone) {
    ServerReply reply;
    reply.status = 204;
    reply.body = "not to be sent";
    serve(replying(reply));
    const std::string text = say("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(text, EndsWith("\r\n\r\n"));
    EXPECT_THAT(text, ::testing::Not(HasSubstr("Content-Length")));
}

// A handler that waits until the test lets it go on.
struct Waiting {
    explicit Waiting(asio::io_context& io) : timer(io) {
        timer.expires_at(asio::steady_timer::time_point::max());
    }
    asio::steady_timer timer;
    int begun = 0;
    int cancelled = 0;
    int finished = 0;
};

struct Count {
    int& value;
    ~Count() { ++value; }
};

base::Task<ServerReply> wait_for(Waiting& waiting) {
    ++waiting.begun;
    boost::system::error_code error;
    co_await waiting.timer.async_wait(asio::redirect_error(asio::use_awaitable, error));
    const auto state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none)
        ++waiting.cancelled;
    else
        ++waiting.finished;
    ServerReply reply;
    reply.body = "waited";
    co_return reply;
}

class LongPollTest : public HttpServerTest {
protected:
    LongPollTest() : waiting_(io_) {}
    void serve_waiting() {
        serve([this](ServerRequest) { return wait_for(waiting_); });
    }
    tcp::socket connect() {
        tcp::socket socket(io_);
        socket.connect(tcp::endpoint(asio::ip::address_v4::loopback(), server_->port()));
        return socket;
    }
    tcp::socket ask() {
        tcp::socket socket = connect();
        asio::write(socket, asio::buffer(std::string("GET / HTTP/1.1\r\nHost: x\r\n\r\n")));
        return socket;
    }

    Waiting waiting_;
};

TEST_F(LongPollTest, HandlerIsCancelledWhenItsClientGoesAway) {
    serve_waiting();
    tcp::socket client = ask();
    run_until([&] { return waiting_.begun == 1; });
    client.close();
    run_until([&] { return waiting_.cancelled == 1; });
    EXPECT_EQ(waiting_.finished, 0);
}

TEST_F(LongPollTest, PipelinedRequestDoesNotCancelTheOneBeforeIt) {
    serve_waiting();
    tcp::socket client = ask();
    asio::write(client, asio::buffer(std::string("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")));
    run_until([&] { return waiting_.begun == 1; });
    io_.poll();
    waiting_.timer.expires_at(asio::steady_timer::time_point::min());
    const std::string text = run_on(io_, read_all(client));
    EXPECT_EQ(waiting_.finished, 2);
    EXPECT_EQ(waiting_.cancelled, 0);
    EXPECT_THAT(text, EndsWith("waited"));
}

TEST_F(LongPollTest, StopLetsTheRunningRequestFinishAndClosesTheIdleOnes) {
    serve_waiting();
    tcp::socket idle = connect();
    tcp::socket busy = ask();
    run_until([&] { return waiting_.begun == 1; });
    bool stopped = false;
    asio::co_spawn(io_, server_->stop(std::chrono::hours(1)), [&](std::exception_ptr) { stopped = true; });
    EXPECT_THAT(run_on(io_, read_all(idle)), IsEmpty());
    EXPECT_FALSE(stopped);
    waiting_.timer.expires_at(asio::steady_timer::time_point::min());
    const std::string text = run_on(io_, read_all(busy));
    EXPECT_THAT(text, HasSubstr("\r\nConnection: close\r\n"));
    EXPECT_THAT(text, EndsWith("waited"));
    run_until([&] { return stopped; });
    boost::system::error_code error;
    tcp::socket late(io_);
    late.connect(tcp::endpoint(asio::ip::address_v4::loopback(), server_->port()), error);
    EXPECT_EQ(error, asio::error::connection_refused);
}

TEST_F(LongPollTest, StopCancelsWhatOutlastsTheGrace) {
    serve_waiting();
    tcp::socket busy = ask();
    run_until([&] { return waiting_.begun == 1; });
    run_on(io_, server_->stop(milliseconds(10)));
    EXPECT_THAT(run_on(io_, read_all(busy)), IsEmpty());
    run_until([&] { return waiting_.cancelled == 1; });
}

TEST_F(LongPollTest, DestroyedServerClosesItsConnectionsAndCancelsItsHandlers) {
    serve_waiting();
    tcp::socket busy = ask();
    run_until([&] { return waiting_.begun == 1; });
    server_.reset();
    EXPECT_THAT(run_on(io_, read_all(busy)), IsEmpty());
    run_until([&] { return waiting_.cancelled == 1; });
}

TEST_F(LongPollTest, ConnectionsBeyondTheLimitAreTurnedAway) {
    options_.max_connections = 2;
    serve_waiting();
    tcp::socket first = ask();
    tcp::socket second = ask();
    run_until([&] { return waiting_.begun == 2; });
    tcp::socket third = ask();
    EXPECT_THAT(run_on(io_, read_all(third)), StartsWith("HTTP/1.1 503 "));
    first.close();
    run_until([&] { return waiting_.cancelled == 1; });
    tcp::socket fourth = ask();
    run_until([&] { return waiting_.begun == 3; });
}

TEST(HttpServerTeardown, LoopMayEndWhileAHandlerRuns) {
    auto io = std::make_unique<asio::io_context>(1);
    auto waiting = std::make_unique<Waiting>(*io);
    int begun_handlers = 0;
    std::optional<HttpServer> server(std::in_place, io->get_executor(), HttpServerOptions(),
                                     [&](ServerRequest) {
                                         ++begun_handlers;
                                         return wait_for(*waiting);
                                     });
    server->start();
    asio::io_context other(1);
    tcp::socket client(other);
    client.connect(tcp::endpoint(asio::ip::address_v4::loopback(), server->port()));
    asio::write(client, asio::buffer(std::string("GET / HTTP/1.1\r\nHost: x\r\n\r\n")));
    while (begun_handlers == 0) io->run_one();
    waiting.reset();
    server.reset();
    io.reset();
    EXPECT_EQ(begun_handlers, 1);
}

TEST(HttpServerAddress, IsToldAndATakenOneIsRefusedByName) {
    asio::io_context io(1);
    const HttpServer first(io.get_executor(), HttpServerOptions(), echo);
    EXPECT_EQ(first.address(), "127.0.0.1:" + std::to_string(first.port()));
    for (const std::string& listen : {first.address(), std::string("nonsense"), std::string("127.0.0.1:x")}) {
        HttpServerOptions options;
        options.listen = listen;
        try {
            const HttpServer second(io.get_executor(), options, echo);
            FAIL() << listen;
        } catch (const std::system_error& error) {
            EXPECT_THAT(error.what(), HasSubstr("cannot listen on " + listen));
        }
    }
}

}  // namespace
}  // namespace receiptd::net
