// Clients share the database, and the hosts.
#include "api/database_calls.hpp"

#include "api/host_questions.hpp"
#include "base/coroutine.hpp"
#include "fakes.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace receiptd::api {
namespace {

using std::chrono::milliseconds;

class DatabaseCallsTest : public ::testing::Test {
protected:
    using Started = DatabaseCalls::Started<int>;
    base::Task<int> call() {
        ++begun_;
        co_await freed_.wait();
        co_return 1;
    }
    std::vector<Started> start(const DatabaseCalls& calls, int count) {
        auto own = calls;
        std::vector<Started> started;
        for (int i = 0; i < count; ++i) started.push_back(own.start(call()));
        settle();
        return started;
    }
    void settle() {
        io_.restart();
        while (io_.poll() > 0) {
        }
    }
    int begun() { return std::exchange(begun_, 0); }

    base::asio::io_context io_{1};
    base::Event freed_{io_.get_executor()};
    int begun_ = 0;
    DatabaseCalls calls_{io_.get_executor(), {milliseconds(1'000), 16, 2}};
};

TEST_F(DatabaseCallsTest, OfOneClientAreAFewAtTheDatabaseAtOnce) {
    const auto alice = calls_.for_client("192.0.2.1");
    const auto many = start(alice, 6);
    EXPECT_EQ(begun(), 2);
    const auto other = start(calls_.for_client("192.0.2.2"), 1);
    EXPECT_EQ(begun(), 1) << "another client does not wait behind them";
    freed_.notify_all();
    settle();
    EXPECT_EQ(begun(), 2);
    EXPECT_TRUE(many[0]->ended() && many[1]->ended() && other[0]->ended());
}

TEST_F(DatabaseCallsTest, OfOneClientLeaveSeatsToOthers) {
    auto alice = calls_.for_client("192.0.2.1");
    const auto many = start(alice, 8);
    EXPECT_THROW(alice.start(call()), NoAnswer) << "no more than are free";
    EXPECT_THROW(calls_.for_client("192.0.2.1").start(call()), NoAnswer) << "by another request";
    auto bob = calls_.for_client("192.0.2.2");
    const auto his = start(bob, 4);
    EXPECT_THROW(bob.start(call()), NoAnswer) << "two clients do not take all";
    EXPECT_EQ(start(calls_.for_client("192.0.2.3"), 2).size(), 2U);
}

TEST_F(DatabaseCallsTest, ThatNobodyWaitsForAnyMoreAreNotBegun) {
    const auto alice = calls_.for_client("192.0.2.1");
    auto first = start(alice, 2);
    start(alice, 5);
    EXPECT_EQ(begun(), 2);
    freed_.notify_all();
    settle();
    EXPECT_EQ(begun(), 0);
    EXPECT_EQ(calls_.running(), 0U);
}

class HostQuestionsTest : public ::testing::Test {
protected:
    base::Task<HostQuestions::Tree> question() {
        ++asked_;
        const struct Count {
            int& value;
            ~Count() { ++value; }
        } count{ended_};
        co_await told_.wait();
        co_return watch::OpenTree();
    }
    base::Task<void> read(std::string tx_hash) {
        auto asking = HostQuestions::ask(questions_, std::move(tx_hash), question(), patience_);
        const auto tree = co_await std::move(asking);
        ++(tree ? answered_ : unanswered_);
    }
    void read_many(int from, int to) {
        for (int i = from; i < to; ++i)
            base::asio::co_spawn(io_, read("transaction " + std::to_string(i)), base::asio::detached);
        settle();
    }
    void settle() {
        io_.restart();
        while (io_.poll() > 0) {
        }
    }

    base::asio::io_context io_{1};
    testing::FakeClock clock_;
    base::Event told_{io_.get_executor()};
    HostQuestions questions_{io_.get_executor(), clock_};
    milliseconds patience_{60'000};
    int asked_ = 0, ended_ = 0, answered_ = 0, unanswered_ = 0;
};

TEST_F(HostQuestionsTest, TakeAFewSeatsOnly) {
    read_many(0, 50);
    EXPECT_EQ(asked_, 4);
    EXPECT_EQ(unanswered_, 46);
    told_.notify_all();
    settle();
    EXPECT_EQ(answered_, 4);
}

TEST_F(HostQuestionsTest, AboutTheSameAreOne) {
    for (int i = 0; i < 10; ++i) read_many(7, 8);
    EXPECT_EQ(asked_, 1);
    told_.notify_all();
    settle();
    EXPECT_EQ(answered_, 10);
}

TEST_F(HostQuestionsTest, EndWhenNobodyWaitsForThemAnyMore) {
    patience_ = milliseconds(1);
    read_many(0, 1);
    io_.restart();
    while (unanswered_ == 0) io_.run_one();
    settle();
    EXPECT_EQ(ended_, 1);
}

TEST_F(HostQuestionsTest, SpendABudget) {
    for (int i = 0; i < 100; ++i) {
        read_many(i, i + 1);
        told_.notify_all();
        settle();
    }
    EXPECT_EQ(answered_, 16);
    clock_.now += std::chrono::seconds(1);
    read_many(200, 201);
    told_.notify_all();
    settle();
    EXPECT_EQ(answered_, 17);
}

}  // namespace
}  // namespace receiptd::api
