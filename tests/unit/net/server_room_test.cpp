// Clients that keep a connection when there are too many of them, or some that take too long.
#include "net/http_server.hpp"

#include "base/coroutine.hpp"
#include "net/listener.hpp"
#include "net_loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>

#include <filesystem>
#include <vector>

namespace receiptd::net {
namespace {

using namespace net::testing;
using std::chrono::milliseconds;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr std::size_t kLarge = 20u << 20;  // more than the kernel takes for a client that does not read

const std::string kAskForLarge = "GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
const std::string kAskForSmall = "GET /small HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
const std::string kAskAndWait = "GET /wait HTTP/1.1\r\nHost: x\r\n\r\n";

TEST(ClientOf, IsAnAddressByIpv4AndALineByIpv6) {
    const auto client = [](const char* address) {
        return client_of(tcp::endpoint(asio::ip::make_address(address), 1));
    };
    EXPECT_EQ(client("192.0.2.7"), "192.0.2.7");
    EXPECT_EQ(client("::ffff:192.0.2.7"), "192.0.2.7");
    EXPECT_EQ(client("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
    EXPECT_EQ(client("2001:db8:1:2::1"), client("2001:db8:1:2:ffff::1"));
    EXPECT_NE(client("2001:db8:1:2::1"), client("2001:db8:1:3::1"));
}

class ServerRoomTest : public ::testing::Test {
protected:
    ServerRoomTest() : wait_(io_) {
        wait_.expires_at(asio::steady_timer::time_point::max());
        options_.is_probe = [](const ServerRequest& head) { return head.path == "/small"; };
    }
    void serve() {
        server_.emplace(io_.get_executor(), options_,
                        [this](ServerRequest request) { return reply_to(std::move(request)); });
        server_->start();
    }
    base::Task<ServerReply> reply_to(ServerRequest request) {
        ServerReply reply;
        if (request.path == "/wait") {
            ++waiting_;
            boost::system::error_code error;
            co_await wait_.async_wait(asio::redirect_error(asio::use_awaitable, error));
        }
        reply.body = request.path == "/large" ? std::string(kLarge, 'x') : request.client;
        co_return reply;
    }
    void settle() {
        io_.restart();
        while (io_.poll() > 0) {
        }
    }
    tcp::socket connect(const std::string& text, const char* from = "127.0.0.1") {
        tcp::socket socket(io_);
        socket.open(tcp::v4());
        socket.bind(tcp::endpoint(asio::ip::make_address(from), 0));
        socket.connect(tcp::endpoint(asio::ip::address_v4::loopback(), server_->port()));
        asio::write(socket, asio::buffer(text));
        settle();
        return socket;
    }
    std::string say(const std::string& text) {
        tcp::socket socket = connect(text);
        return run_on(io_, read_all(socket));
    }
    // Connections whose request is in work.
    std::vector<tcp::socket> occupy(int count) {
        std::vector<tcp::socket> busy;
        for (int i = 0; i < count; ++i) busy.push_back(connect(kAskAndWait));
        EXPECT_EQ(waiting_, count);
        return busy;
    }

    asio::io_context io_{1};
    asio::steady_timer wait_;
    int waiting_ = 0;
    HttpServerOptions options_;
    std::optional<HttpServer> server_;
};

TEST_F(ServerRoomTest, AProbeIsAnsweredWhileAllConnectionsAreInUse) {
    options_.max_connections = 3;
    serve();
    const auto busy = occupy(3);
    EXPECT_THAT(say(kAskForSmall), StartsWith("HTTP/1.1 200 "));
    EXPECT_THAT(say(kAskForLarge), StartsWith("HTTP/1.1 503 "));
}

TEST_F(ServerRoomTest, WhoIsSilentInTheReserveGivesWayToAProbe) {
    options_.max_connections = 1;
    options_.probe_connections = 2;
    serve();
    const auto busy = occupy(1);
    std::vector<tcp::socket> silent;
    for (int i = 0; i < 10; ++i) silent.push_back(connect(""));
    EXPECT_THAT(say(kAskForSmall), StartsWith("HTTP/1.1 200 "));
}

TEST_F(ServerRoomTest, AConnectionOfTheReserveHasOneRequest) {
    options_.max_connections = 1;
    serve();
    const auto busy = occupy(1);
    const auto text = say("GET /small HTTP/1.1\r\nHost: x\r\n\r\nGET /small HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(text, HasSubstr("Connection: close"));
    EXPECT_THAT(text, EndsWith("\r\n\r\n127.0.0.1"));
}

TEST_F(ServerRoomTest, TheClientWithTheMostConnectionsGivesWay) {
    options_.max_connections = 4;
    serve();
    tcp::socket patient = connect("GET /small HTTP/1.1\r\nHost: x\r\n", "127.0.0.2");
    std::vector<tcp::socket> many;
    for (int i = 0; i < 20; ++i) many.push_back(connect(""));
    asio::write(patient, asio::buffer(std::string("Connection: close\r\n\r\n")));
    EXPECT_THAT(run_on(io_, read_all(patient)), EndsWith("\r\n\r\n127.0.0.2"));
}

TEST_F(ServerRoomTest, AReaderThatDoesNotReadGivesWay) {
    options_.max_connections = 2;
    serve();
    tcp::socket first = connect(kAskForLarge);
    tcp::socket second = connect(kAskForLarge);
    EXPECT_THAT(say(kAskForSmall), StartsWith("HTTP/1.1 200 "));
    EXPECT_LT(run_on(io_, read_all(first)).size(), kLarge);
    EXPECT_GT(run_on(io_, read_all(second)).size(), kLarge);
}

TEST_F(ServerRoomTest, AReaderThatIsTooSlowIsCutOff) {
    options_.idle_timeout = milliseconds(20);
    options_.least_bytes_per_second = 1u << 30;
    serve();
    tcp::socket reader = connect(kAskForLarge);
    asio::steady_timer later(io_, milliseconds(100));
    bool over = false;
    later.async_wait([&](const boost::system::error_code&) { over = true; });
    while (!over) io_.run_one();
    EXPECT_LT(run_on(io_, read_all(reader)).size(), kLarge);
}

TEST_F(ServerRoomTest, TheSlowestReaderGivesWayWhereTooMuchIsUnread) {
    options_.max_held_bytes = kLarge + kLarge / 2;
    serve();
    tcp::socket slow = connect(kAskForLarge);
    tcp::socket next = connect(kAskForLarge);
    EXPECT_GT(run_on(io_, read_all(next)).size(), kLarge);
    EXPECT_LT(run_on(io_, read_all(slow)).size(), kLarge);
}

TEST_F(ServerRoomTest, TheSlowestWriterGivesWayWhereTooMuchIsUnderWay) {
    options_.max_held_bytes = 100'000;
    serve();
    const std::string head =
        "POST /small HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 70000\r\n\r\n";
    tcp::socket slow = connect(head + std::string(60'000, 'x'));
    tcp::socket next = connect(head + std::string(60'000, 'x'));
    EXPECT_THAT(run_on(io_, read_all(slow)), IsEmpty());
    asio::write(next, asio::buffer(std::string(10'000, 'x')));
    EXPECT_THAT(run_on(io_, read_all(next)), StartsWith("HTTP/1.1 200 "));
    EXPECT_THAT(say(head + std::string(70'000, 'x')), StartsWith("HTTP/1.1 200 ")) << "it is free again";
}

TEST_F(ServerRoomTest, ARequestInWorkGivesWayToNone) {
    options_.max_held_bytes = 100'000;
    serve();
    const std::string rest = " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 70000\r\n\r\n" +
                             std::string(70'000, 'x');
    tcp::socket busy = connect("POST /wait" + rest);
    EXPECT_THAT(say("POST /small" + rest), StartsWith("HTTP/1.1 503 "));
    wait_.expires_at(asio::steady_timer::time_point::min());
    EXPECT_THAT(run_on(io_, read_all(busy)), StartsWith("HTTP/1.1 200 "));
}

TEST_F(ServerRoomTest, WhatIsReadNoLongerCounts) {
    options_.max_held_bytes = kLarge + kLarge / 2;
    serve();
    for (int i = 0; i < 3; ++i) EXPECT_GT(say(kAskForLarge).size(), kLarge);
}

class UnixSocketTest : public ServerRoomTest {
protected:
    using Local = asio::local::stream_protocol;
    UnixSocketTest()
        : file_(std::filesystem::temp_directory_path() /
                ("receiptd-" + std::to_string(::getpid()) + "-" + name())) {
        options_.listen = "unix:" + file_.string();
    }
    ~UnixSocketTest() override { std::filesystem::remove(file_); }
    static std::string name() { return ::testing::UnitTest::GetInstance()->current_test_info()->name(); }
    std::string say_there(const std::string& text) {
        Local::socket socket(io_);
        socket.connect(Local::endpoint(file_.string()));
        asio::write(socket, asio::buffer(text));
        settle();
        std::string answer;
        boost::system::error_code error;
        asio::read(socket, asio::dynamic_buffer(answer), error);
        return answer;
    }
    unsigned mode() const {
        struct stat found {};
        return ::stat(file_.c_str(), &found) == 0 ? found.st_mode & 0777 : 0;
    }
    std::filesystem::path file_;
};

TEST_F(UnixSocketTest, IsServedWithItsMode) {
    options_.unix_mode = 0620;
    serve();
    EXPECT_EQ(server_->address(), "unix:" + file_.string());
    EXPECT_EQ(mode(), 0620U);
    EXPECT_THAT(say_there(kAskForSmall), EndsWith("\r\n\r\nunix"));
    server_.reset();
    EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(UnixSocketTest, ReplacesTheFileThatAKilledProcessLeft) {
    { Local::acceptor dead(io_, Local::endpoint(file_.string())); }
    ASSERT_TRUE(std::filesystem::exists(file_));
    serve();
    EXPECT_THAT(say_there(kAskForSmall), StartsWith("HTTP/1.1 200 "));
}

TEST_F(UnixSocketTest, TakesNoFileAway) {
    Local::acceptor living(io_, Local::endpoint(file_.string()));
    EXPECT_THROW(serve(), std::system_error);
    EXPECT_TRUE(std::filesystem::exists(file_));
}

}  // namespace
}  // namespace receiptd::net
