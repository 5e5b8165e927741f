#include "net/answer_room.hpp"

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

class AnswerRoomTest : public ::testing::Test {
protected:
    using Slot = std::optional<AnswerRoom::Share>;

    static base::Task<void> take_into(std::shared_ptr<AnswerRoom> room, std::uint64_t bytes, Slot& slot) {
        slot = co_await AnswerRoom::take(room, bytes);
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
    std::shared_ptr<AnswerRoom> room_ =
        std::make_shared<AnswerRoom>(io_.get_executor(), nullptr, AnswerRoom::Limits{100});
    Slot first_, second_, third_;
};

TEST_F(AnswerRoomTest, WhatDoesNotFitWaits) {
    take(60, first_);
    take(60, second_);
    EXPECT_TRUE(first_);
    EXPECT_FALSE(second_);
    give_back(first_);
    EXPECT_TRUE(second_);
}

TEST_F(AnswerRoomTest, WhatFitsDoesNotOvertakeWhatWaits) {
    take(60, first_);
    take(60, second_);
    take(10, third_);
    EXPECT_FALSE(third_);
    give_back(first_);
    EXPECT_TRUE(second_);
    EXPECT_TRUE(third_);
}

TEST_F(AnswerRoomTest, MoreThanThereIsGoesAlone) {
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

TEST_F(AnswerRoomTest, WhoGivesUpLeavesItsPlace) {
    asio::cancellation_signal cancel;
    take(60, first_);
    take(60, second_, cancel.slot());
    take(10, third_);
    cancel.emit(asio::cancellation_type::terminal);
    settle();
    EXPECT_FALSE(second_);
    EXPECT_TRUE(third_);
}

TEST_F(AnswerRoomTest, AnAnswerTakesWhatItBecomes) {
    room_ = std::make_shared<AnswerRoom>(io_.get_executor(), nullptr, AnswerRoom::Limits{100, 0, 3});
    take(20, first_);
    take(20, second_);
    EXPECT_FALSE(second_);
    give_back(first_);
    EXPECT_TRUE(second_);
}

TEST_F(AnswerRoomTest, OneThatIsSmallerThanItMayHaveBeenMakesRoom) {
    take(1'000, first_);
    take(60, second_);
    EXPECT_FALSE(second_);
    (*first_)->shrink(40);
    settle();
    EXPECT_TRUE(second_);
    give_back(first_);
    take(50, third_);
    EXPECT_FALSE(third_) << "of the first one no more is given back than it had";
    give_back(second_);
    EXPECT_TRUE(third_);
}

// Two questions to a server that answers both of them with the same.
class LargeAnswers : public AnswerRoomTest {
protected:
    using Came = std::optional<base::Result<HttpResponse, TransportError>>;

    void ask_twice(const std::string& answer) { ask_twice(says(answer)); }
    void ask_twice(Script script) {
        server_.emplace(io_, std::move(script));
        HttpClientOptions options = options_for(server_->port());
        options.max_connections = connections_;
        options.max_response_bytes = kLargest;
        options.cpu = &cpu_;
        options.room = std::make_shared<AnswerRoom>(io_.get_executor(), &cpu_, AnswerRoom::Limits{3'000'000});
        client_.emplace(io_.get_executor(), options);
        for (auto* came : {&came_[0], &came_[1]}) {
            HttpRequest request;
            request.on_large = [this] { ++told_; };
            asio::co_spawn(io_, client_->send(std::move(request)),
                           [came](const std::exception_ptr&, auto told) { came->emplace(std::move(told)); });
        }
        io_.restart();
    }
    void one_waits_for_the_other() {
        while (!came_[0] && !came_[1]) io_.run_one();
        auto& sooner = came_[0] ? came_[0] : came_[1];
        auto& later = came_[0] ? came_[1] : came_[0];
        EXPECT_EQ((*sooner)->body.size(), 2'000'000U);
        while (told_ < 2) io_.run_one();
        io_.run_for(std::chrono::milliseconds(20));
        EXPECT_FALSE(later);
        sooner.reset();
        while (!later) io_.run_one();
        EXPECT_EQ((*later)->body.size(), 2'000'000U);
    }

    // More than the kernel takes for a client that does not read.
    static constexpr std::size_t kLargest = 20'000'000;
    // To /small a small answer, to all else a large one.
    Script says_largest() {
        return [this](tcp::socket& socket, std::size_t) -> base::Task<void> {
            const auto head = co_await read_head(socket);
            const bool is_small = head.find("/small") != std::string::npos;
            const std::string body(is_small ? 1 : kLargest, ' ');
            co_await write_text(socket, "HTTP/1.0 200 OK\r\nContent-Length: " + std::to_string(body.size()) +
                                            "\r\n\r\n" + body);
            ++written_;
        };
    }

    asio::thread_pool cpu_{1};
    std::size_t connections_ = 8;
    int written_ = 0;
    std::optional<ScriptedServer> server_;
    std::optional<HttpClient> client_;
    Came came_[2];
    int told_ = 0;  // that a large answer has come
};

TEST_F(LargeAnswers, AreUnpackedOneAfterTheOther) {
    ask_twice("HTTP/1.0 200 OK\r\nContent-Encoding: gzip\r\n\r\n" +
              sandbox::gzip(std::string(2'000'000, ' ')));
    one_waits_for_the_other();
}

TEST_F(LargeAnswers, WaitAlsoIfTheyAreNotPacked) {
    ask_twice("HTTP/1.0 200 OK\r\n\r\n" + std::string(2'000'000, ' '));
    one_waits_for_the_other();
}

TEST_F(LargeAnswers, OfAHostAreNotReadWhileItHasAsManyHere) {
    ask_twice(says_largest());
    while (!came_[0] && !came_[1]) io_.run_one();
    while (told_ < 2) io_.run_one();
    io_.run_for(std::chrono::milliseconds(20));
    EXPECT_EQ(written_, 1);
    auto& sooner = came_[0] ? came_[0] : came_[1];
    auto& later = came_[0] ? came_[1] : came_[0];
    sooner.reset();
    while (!later) io_.run_one();
    EXPECT_EQ((*later)->body.size(), kLargest);
    EXPECT_EQ(written_, 2);
}

TEST_F(LargeAnswers, ThatWaitToBeReadTakeNobodysConnection) {
    connections_ = 1;
    ask_twice(says_largest());
    while (!came_[0] && !came_[1]) io_.run_one();
    HttpRequest request;
    request.target = "/small";
    const auto small = run_on(io_, client_->send(std::move(request)));
    EXPECT_EQ(small->body, " ");
    EXPECT_EQ(written_, 2);
}

TEST_F(LargeAnswers, AreAskedForAgainWhereTheServerDidNotWait) {
    ask_twice([this, says_all = says_largest()](tcp::socket& socket, std::size_t number) -> base::Task<void> {
        if (number != 1) co_return co_await says_all(socket, number);
        co_await read_head(socket);
        co_await write_text(socket, "HTTP/1.0 200 OK\r\nContent-Length: " + std::to_string(kLargest) +
                                        "\r\n\r\n and no more");
    });
    while (!came_[0] && !came_[1]) io_.run_one();
    while (told_ < 2) io_.run_one();
    auto& sooner = came_[0] ? came_[0] : came_[1];
    auto& later = came_[0] ? came_[1] : came_[0];
    sooner.reset();
    while (!later) io_.run_one();
    ASSERT_TRUE(*later) << later->error().text;
    EXPECT_EQ((*later)->body.size(), kLargest);
}

TEST_F(LargeAnswers, OfAnotherStatusMayStillBlockTheHost) {
    ask_twice("HTTP/1.0 429 Slow Down\r\n\r\n" + std::string(2'000'000, ' '));
    while (!came_[0] && !came_[1]) io_.run_one();
    (came_[0] ? came_[0] : came_[1]).reset();
    while (!came_[0] && !came_[1]) io_.run_one();
    EXPECT_EQ(told_, 0);
}

}  // namespace
}  // namespace receiptd::net
