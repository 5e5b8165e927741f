#include "net/unpack_room.hpp"

#include "net_loop.hpp"
#include "sandbox/gateway/gzip.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/thread_pool.hpp>

#include <gtest/gtest.h>

#include <optional>

namespace receiptd::net {
namespace {

using namespace net::testing;

class UnpackRoomTest : public ::testing::Test {
protected:
    using Slot = std::optional<UnpackRoom::Share>;

    static base::Task<void> take_into(std::shared_ptr<UnpackRoom> room, std::uint64_t bytes, Slot& slot) {
        slot = co_await UnpackRoom::take(room, bytes);
    }
    void take(std::uint64_t bytes, Slot& slot, asio::cancellation_slot cancelled = {}) {
        asio::co_spawn(io_, take_into(room_, bytes, slot),
                       asio::bind_cancellation_slot(cancelled, asio::detached));
        settle();
    }
    void give_back(Slot& slot) {
        slot.reset();
        settle();
    }
    void settle() {
        io_.restart();
        while (io_.poll() > 0) {
        }
    }

    asio::io_context io_{1};
    std::shared_ptr<UnpackRoom> room_ = std::make_shared<UnpackRoom>(io_.get_executor(), 100);
    Slot first_, second_, third_;
};

TEST_F(UnpackRoomTest, WhatDoesNotFitWaits) {
    take(60, first_);
    take(60, second_);
    EXPECT_TRUE(first_);
    EXPECT_FALSE(second_);
    give_back(first_);
    EXPECT_TRUE(second_);
}

TEST_F(UnpackRoomTest, WhatFitsDoesNotOvertakeWhatWaits) {
    take(60, first_);
    take(60, second_);
    take(10, third_);
    EXPECT_FALSE(third_);
    give_back(first_);
    EXPECT_TRUE(second_);
    EXPECT_TRUE(third_);
}

TEST_F(UnpackRoomTest, MoreThanThereIsGoesAlone) {
    take(10, first_);
    take(1'000, second_);
    take(10, third_);
    EXPECT_FALSE(second_);
    give_back(first_);
    EXPECT_TRUE(second_);
    EXPECT_FALSE(third_);
    give_back(second_);
    EXPECT_TRUE(third_);
}

TEST_F(UnpackRoomTest, WhoGivesUpLeavesItsPlace) {
    asio::cancellation_signal cancel;
    take(60, first_);
    take(60, second_, cancel.slot());
    take(10, third_);
    cancel.emit(asio::cancellation_type::terminal);
    settle();
    EXPECT_FALSE(second_);
    EXPECT_TRUE(third_);
}

TEST_F(UnpackRoomTest, LargeAnswersAreUnpackedOneAfterTheOther) {
    const std::string packed = sandbox::gzip(std::string(2'000'000, ' '));
    ScriptedServer server(io_, says("HTTP/1.0 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + packed));
    asio::thread_pool cpu(1);
    HttpClientOptions options = options_for(server.port());
    options.cpu = &cpu;
    options.unpack_room = std::make_shared<UnpackRoom>(io_.get_executor(), 3'000'000);
    HttpClient client(io_.get_executor(), options);
    std::optional<base::Result<HttpResponse, TransportError>> first, second;
    const auto ask = [&](auto& answer) {
        asio::co_spawn(io_, client.send(HttpRequest{}),
                       [&answer](const std::exception_ptr&, auto came) { answer.emplace(std::move(came)); });
    };
    ask(first);
    ask(second);
    io_.restart();
    while (!first && !second) io_.run_one();
    auto& sooner = first ? first : second;
    auto& later = first ? second : first;
    EXPECT_EQ((*sooner)->body.size(), 2'000'000U);
    while (server.connections() < 2) io_.run_one();
    io_.run_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(later);
    sooner.reset();
    while (!later) io_.run_one();
    EXPECT_EQ((*later)->body.size(), 2'000'000U);
}

}  // namespace
}  // namespace receiptd::net
