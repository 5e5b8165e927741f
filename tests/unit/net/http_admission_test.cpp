// The admission of clients, and the answers to requests before their body is there.
#include "net/http_server.hpp"

#include "base/coroutine.hpp"
#include "net_loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace receiptd::net {
namespace {

using namespace net::testing;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

base::Task<ServerReply> echo_admitted(ServerRequest request) {
    ServerReply reply;
    reply.body = request.path + "?" + request.query + " " + request.body;
    co_return reply;
}

std::optional<ServerReply> refuse_uploads(const ServerRequest& head) {
    if (head.path != "/upload" || head.header("Authorization") == "yes") return std::nullopt;
    ServerReply reply;
    reply.status = 401;
    reply.body = "not you";
    return reply;
}

class HttpAdmissionTest : public ::testing::Test {
protected:
    void serve() {
        server_.emplace(io_.get_executor(), options_, echo_admitted);
        server_->start();
    }
    tcp::socket connect(const std::string& text = "") {
        tcp::socket socket(io_);
        socket.connect(tcp::endpoint(asio::ip::address_v4::loopback(), server_->port()));
        asio::write(socket, asio::buffer(text));
        io_.restart();
        while (io_.poll() > 0) {
        }
        return socket;
    }
    std::string say(const std::string& text) {
        tcp::socket socket = connect(text);
        return run_on(io_, read_all(socket));
    }

    asio::io_context io_{1};
    HttpServerOptions options_;
    std::optional<HttpServer> server_;
};

constexpr const char* kAsk = "GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

TEST_F(HttpAdmissionTest, ABodyIsNeitherAskedForNorAwaitedOfWhoIsRefused) {
    options_.refuse_head = refuse_uploads;
    serve();
    const std::string head = "POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n";
    const auto told = say(head + "Expect: 100-continue\r\n\r\n");
    EXPECT_THAT(told, StartsWith("HTTP/1.1 401 "));
    EXPECT_THAT(told, EndsWith("not you"));
    EXPECT_THAT(told, HasSubstr("\r\nConnection: close\r\n"));
    EXPECT_THAT(say(head + "\r\nbo"), StartsWith("HTTP/1.1 401 "));
}

TEST_F(HttpAdmissionTest, ABodyIsAskedForOfWhoIsNot) {
    options_.refuse_head = refuse_uploads;
    serve();
    tcp::socket socket = connect(
        "POST /upload HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: yes\r\n"
        "Expect: 100-continue\r\nContent-Length: 4\r\n\r\n");
    EXPECT_THAT(run_on(io_, read_head(socket)), StartsWith("HTTP/1.1 100 Continue"));
    asio::write(socket, asio::buffer(std::string("body")));
    EXPECT_THAT(run_on(io_, read_all(socket)), EndsWith("/upload? body"));
}

TEST_F(HttpAdmissionTest, ClientsThatConnectAndSayNothingShutNobodyOut) {
    options_.max_connections = 3;
    serve();
    std::vector<tcp::socket> silent;
    for (int i = 0; i < 20; ++i) silent.push_back(connect(i % 2 == 0 ? "" : "GET /half HTTP/1.1\r\nHo"));
    EXPECT_THAT(say(kAsk), StartsWith("HTTP/1.1 200 "));
}

TEST_F(HttpAdmissionTest, TheLongestSilentGivesWay) {
    options_.max_connections = 2;
    serve();
    tcp::socket first = connect();
    tcp::socket second = connect("GET /a HTTP/1.1\r\nHost: x\r\n");
    EXPECT_THAT(say(kAsk), StartsWith("HTTP/1.1 200 "));
    EXPECT_THAT(run_on(io_, read_all(first)), IsEmpty());
    asio::write(second, asio::buffer(std::string("Connection: close\r\n\r\n")));
    EXPECT_THAT(run_on(io_, read_all(second)), StartsWith("HTTP/1.1 200 "));
}

TEST_F(HttpAdmissionTest, ATargetMayNameItsHost) {
    serve();
    const auto ask = [&](const std::string& target) {
        return say("GET " + target + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    };
    EXPECT_THAT(ask("http://elsewhere.example/a/b?c=d"), EndsWith("\r\n\r\n/a/b?c=d "));
    EXPECT_THAT(ask("HTTP://x"), EndsWith("\r\n\r\n/? "));
    for (const char* target : {"ftp://x/a", "x:80", "a/b"})
        EXPECT_THAT(ask(target), StartsWith("HTTP/1.1 400 ")) << target;
}

}  // namespace
}  // namespace receiptd::net
