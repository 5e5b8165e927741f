#include "net/http_server.hpp"

#include "base/coroutine.hpp"
#include "base/event.hpp"
#include "net_loop.hpp"

#include <boost/asio/use_awaitable.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <optional>

namespace receiptd::net {
namespace {

using namespace net::testing;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A body whose pieces the test lays down while it is sent.
struct Pieces {
    explicit Pieces(asio::io_context& io) : changed(io.get_executor()) {}
    void add(std::string piece) {
        waiting.push_back(std::move(piece));
        changed.notify_all();
    }

    base::Event changed;
    std::deque<std::string> waiting;
    int asked = 0;
    int cancelled = 0;
};

base::Task<std::string> next_of(std::shared_ptr<Pieces> pieces) {
    struct Guard {
        Pieces& pieces;
        bool came = false;
        ~Guard() {
            if (!came) ++pieces.cancelled;
        }
    } guard{*pieces};
    ++pieces->asked;
    while (pieces->waiting.empty()) co_await pieces->changed.wait();
    guard.came = true;
    std::string piece = std::move(pieces->waiting.front());
    pieces->waiting.pop_front();
    if (piece == "hang up") throw HangUp();
    if (piece == "throw") throw std::runtime_error("the source broke");
    co_return piece;
}

base::Task<ServerReply> streaming(std::shared_ptr<Pieces> pieces) {
    ServerReply reply;
    reply.headers.push_back({"Content-Type", "text/event-stream"});
    reply.next_piece = [pieces] { return next_of(pieces); };
    co_return reply;
}

base::Task<std::string> read_up_to(tcp::socket& socket, std::string end) {
    std::string text;
    while (!text.ends_with(end)) {
        char byte = 0;
        const std::size_t count =
            co_await socket.async_read_some(asio::buffer(&byte, 1), asio::use_awaitable);
        text.append(&byte, count);
    }
    co_return text;
}

class StreamReplyTest : public ::testing::Test {
protected:
    StreamReplyTest() : pieces_(std::make_shared<Pieces>(io_)) {}
    void serve() {
        server_.emplace(io_.get_executor(), options_,
                        [pieces = pieces_](ServerRequest) { return streaming(pieces); });
        server_->start();
    }
    tcp::socket ask(const std::string& text = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n") {
        tcp::socket socket(io_);
        socket.connect(tcp::endpoint(asio::ip::address_v4::loopback(), server_->port()));
        asio::write(socket, asio::buffer(text));
        return socket;
    }
    void run_until(const std::function<bool()>& condition) {
        io_.restart();
        while (!condition() && io_.run_one() > 0) {
        }
    }

    asio::io_context io_{1};
    std::shared_ptr<Pieces> pieces_;
    HttpServerOptions options_;
    std::optional<HttpServer> server_;
};

TEST_F(StreamReplyTest, PiecesComeAsChunksWhenTheyAreThere) {
    serve();
    tcp::socket client = ask();
    pieces_->add("first");
    const std::string seen = run_on(io_, read_up_to(client, "5\r\nfirst\r\n"));
    EXPECT_THAT(seen, HasSubstr("\r\nTransfer-Encoding: chunked\r\n"));
    EXPECT_THAT(seen, Not(HasSubstr("Content-Length")));
    pieces_->add("the second one");
    pieces_->add("");
    EXPECT_EQ(run_on(io_, read_all(client)), "e\r\nthe second one\r\n0\r\n\r\n");
}

TEST_F(StreamReplyTest, TheConnectionGoesOnAfterTheLastChunk) {
    serve();
    for (const char* piece : {"a", "", "b", ""}) pieces_->add(piece);
    tcp::socket client =
        ask("GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    const std::string text = run_on(io_, read_all(client));
    EXPECT_THAT(text, HasSubstr("1\r\na\r\n0\r\n\r\nHTTP/1.1 200 OK"));
    EXPECT_THAT(text, EndsWith("1\r\nb\r\n0\r\n\r\n"));
}

TEST_F(StreamReplyTest, AnOldClientGetsTheBytesAsTheyAreAndThenTheEnd) {
    serve();
    for (const char* piece : {"one ", "two", ""}) pieces_->add(piece);
    tcp::socket client = ask("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    const std::string text = run_on(io_, read_all(client));
    EXPECT_THAT(text, Not(HasSubstr("chunked")));
    EXPECT_THAT(text, HasSubstr("Connection: close"));
    EXPECT_THAT(text, EndsWith("\r\n\r\none two"));
}

TEST_F(StreamReplyTest, HeadHasTheHeadersAndAsksForNoPiece) {
    serve();
    tcp::socket client = ask("HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    const std::string text = run_on(io_, read_all(client));
    EXPECT_THAT(text, HasSubstr("Content-Type: text/event-stream"));
    EXPECT_THAT(text, EndsWith("\r\n\r\n"));
    EXPECT_EQ(pieces_->asked, 0);
}

TEST_F(StreamReplyTest, TheSourceIsCancelledWhenItsClientGoesAway) {
    serve();
    tcp::socket client = ask();
    run_until([&] { return pieces_->asked == 1; });
    client.close();
    run_until([&] { return pieces_->cancelled == 1; });
    EXPECT_EQ(pieces_->asked, 1);
}

TEST_F(StreamReplyTest, StopEndsTheBodyInGoodOrder) {
    serve();
    tcp::socket client = ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    pieces_->add("said");
    run_until([&] { return pieces_->asked == 2; });
    bool stopped = false;
    asio::co_spawn(io_, server_->stop(std::chrono::hours(1)), [&](std::exception_ptr) { stopped = true; });
    EXPECT_THAT(run_on(io_, read_all(client)), EndsWith("4\r\nsaid\r\n0\r\n\r\n"));
    client.close();
    run_until([&] { return stopped; });
    EXPECT_EQ(pieces_->cancelled, 1);
}

TEST_F(StreamReplyTest, ASourceThatFailsBreaksTheAnswerOff) {
    serve();
    pieces_->add("half");
    pieces_->add("throw");
    tcp::socket client = ask();
    const std::string text = run_on(io_, read_all(client));
    EXPECT_THAT(text, EndsWith("4\r\nhalf\r\n"));
    EXPECT_THAT(text, Not(HasSubstr("the source broke")));
}

TEST_F(StreamReplyTest, ASourceThatHangsUpEndsTheConnectionAmidTheBody) {
    serve();
    pieces_->add("half");
    pieces_->add("hang up");
    tcp::socket client = ask();
    EXPECT_THAT(run_on(io_, read_all(client)), EndsWith("4\r\nhalf\r\n"));
}

TEST_F(StreamReplyTest, AReaderThatTakesNothingIsCutOffAndHoldsNobodyUp) {
    options_.piece_timeout = std::chrono::milliseconds(30);
    serve();
    tcp::socket idle = ask();
    run_until([&] { return pieces_->asked == 1; });
    pieces_->add(std::string(64 << 20, 'x'));  // more than any socket buffer takes
    run_until([&] { return pieces_->waiting.empty(); });
    for (const char* piece : {"for the other", ""}) pieces_->add(piece);
    tcp::socket other = ask();
    EXPECT_THAT(run_on(io_, read_all(other)), EndsWith("for the other\r\n0\r\n\r\n"));
    EXPECT_LT(run_on(io_, read_all(idle)).size(), std::size_t{64} << 20);
    EXPECT_EQ(pieces_->asked, 3);
}

TEST_F(StreamReplyTest, RefusalsOfTheServerItselfReadAsItsOwnerWants) {
    options_.max_request_bytes = 10;
    options_.refusal = [](int status, std::string_view text) {
        ServerReply reply;
        reply.status = status;
        reply.headers.push_back({"Content-Type", "application/problem+json"});
        reply.body = "{\"title\":\"" + std::string(text) + "\"}";
        return reply;
    };
    serve();
    tcp::socket client = ask("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n");
    const std::string text = run_on(io_, read_all(client));
    EXPECT_THAT(text, StartsWith("HTTP/1.1 413 "));
    EXPECT_THAT(text, HasSubstr("application/problem+json"));
    EXPECT_THAT(text, EndsWith("{\"title\":\"the request is too large\"}"));
}

TEST(QueryParameters, ComeDecodedInOrderOrNotAtAll) {
    ServerRequest request;
    request.query = "a=1%202&b=x+y&a=&c&&";
    const auto all = request.query_parameters();
    ASSERT_TRUE(all.has_value());
    ASSERT_EQ(all->size(), 4U);
    EXPECT_EQ((*all)[0].value, "1 2");
    EXPECT_EQ((*all)[1].value, "x y");
    EXPECT_EQ((*all)[2].name, "a");
    EXPECT_EQ((*all)[3].name, "c");
    request.query = "a=%zz";
    EXPECT_FALSE(request.query_parameters().has_value());
}

}  // namespace
}  // namespace receiptd::net
