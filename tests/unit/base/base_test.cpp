#include "base/backoff.hpp"
#include "base/event.hpp"
#include "base/log.hpp"
#include "base/offload.hpp"
#include "base/secret.hpp"
#include "base/task_group.hpp"
#include "base/token_bucket.hpp"
#include "base/u128.hpp"

#include <boost/asio/io_context.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace receiptd::base {
namespace {

using namespace std::chrono_literals;

TEST(U128, KeepsEveryDigitOfABalance) {
    const std::string largest = "340282366920938463463374607431768211455";
    EXPECT_EQ(to_string(*parse_u128(largest)), largest);
    EXPECT_EQ(to_string(*parse_u128("0")), "0");
    for (const char* broken : {"", "-1", "1e5", " 1", "340282366920938463463374607431768211456"})
        EXPECT_FALSE(parse_u128(broken)) << broken;
}

TEST(Backoff, GrowsToItsCap) {
    const BackoffPolicy policy{500ms, 30s, 2.0, 0.0};
    EXPECT_EQ(backoff_delay(policy, 1, 0), 500ms);
    EXPECT_EQ(backoff_delay(policy, 3, 0), 2s);
    EXPECT_EQ(backoff_delay(policy, 50, 0), 30s);
}

TEST(TokenBucket, GivesOutItsRateAndHonoursABlock) {
    const SteadyTime start(1h);
    TokenBucket bucket(10, 2, start);
    EXPECT_EQ(bucket.take(start), 0ns);
    EXPECT_EQ(bucket.take(start), 0ns);
    EXPECT_EQ(bucket.take(start), 100ms);
    EXPECT_EQ(bucket.take(start + 100ms), 0ns);
    bucket.block_until(start + 5s);
    EXPECT_EQ(bucket.take(start + 1s), 4s);
}

TEST(Secret, IsNeverShown) {
    std::ostringstream out;
    out << Secret("hunter2");
    EXPECT_EQ(out.str(), "***");
}

TEST(Log, JsonLinesEscapeWhatUsersSend) {
    EXPECT_EQ(log::format_line(log::Format::json, log::Level::warn, "T", "a\"b\n",
                               {{"height", 7}, {"text", std::string("\x01\\")}, {"ok", true}}),
              R"({"time":"T","level":"warn","message":"a\"b\n","height":7,"text":"\u0001\\","ok":true})");
}

TEST(Log, LinesHideNothingFromATerminal) {
    EXPECT_EQ(log::format_line(log::Format::plain, log::Level::info, "T", "host said",
                               {{"text", std::string("\xc2\x9b"
                                                     "2J \xe2\x80\xaexyz\x1b")}}),
              "T info host said text=\"�2J �xyz\\u001b\"");
}

TEST(Log, PlainLinesStayOneLine) {
    EXPECT_EQ(log::format_line(log::Format::plain, log::Level::info, "T", "two\nlines",
                               {{"why", "a b"}, {"host", "main"}}),
              "T info two\\nlines why=\"a b\" host=main");
}

Task<int> add_elsewhere(asio::thread_pool& pool, int a, int b) {
    auto work = [a, b] {
        if (a < 0) throw std::runtime_error("negative");
        return a + b;
    };
    return offload(pool, std::move(work));
}

Task<void> use_offload(asio::thread_pool& pool, std::string& seen) {
    seen = std::to_string(co_await add_elsewhere(pool, 2, 3));
    try {
        co_await add_elsewhere(pool, -1, 0);
    } catch (const std::runtime_error& e) {
        seen += e.what();
    }
}

TEST(Offload, BringsBackValuesAndExceptions) {
    asio::io_context context;
    asio::thread_pool pool(1);
    std::string seen;
    TaskGroup group(context.get_executor());
    group.spawn(use_offload(pool, seen));
    context.run();
    EXPECT_EQ(seen, "5negative");
}

Task<void> wait_for_ever(Event& event, int& ended) {
    struct OnEnd {
        int& count;
        ~OnEnd() { ++count; }
    } on_end{ended};
    while (true) co_await event.wait();
}

Task<void> count_wakeups(Wakeup& wakeup, int& count) {
    while (true) {
        co_await wakeup.wait();
        ++count;
    }
}

TEST(Wakeup, ComesFromAnyOfItsSignals) {
    asio::io_context context;
    Signal head, heights, other;
    int count = 0;
    TaskGroup group(context.get_executor());
    {
        Wakeup wakeup(context.get_executor(), {&head, &heights});
        group.spawn(count_wakeups(wakeup, count));
        context.poll();
        for (auto* signal : {&head, &heights, &other}) {
            signal->notify_all();
            context.restart();
            context.poll();
        }
        EXPECT_EQ(count, 2);
        group.cancel();
        context.restart();
        context.poll();
    }
    head.notify_all();  // nobody waits any more
}

Task<void> cancel_and_join(TaskGroup& group, bool& joined) {
    group.cancel();
    co_await group.join();
    joined = true;
}

TEST(TaskGroup, EndsItsTasksWhenCancelled) {
    asio::io_context context;
    Event event(context.get_executor());
    TaskGroup group(context.get_executor());
    TaskGroup outside(context.get_executor());
    int ended = 0;
    bool joined = false;
    group.spawn(wait_for_ever(event, ended));
    group.spawn(wait_for_ever(event, ended));
    context.poll();
    outside.spawn(cancel_and_join(group, joined));
    context.run();
    EXPECT_EQ(ended, 2);
    EXPECT_TRUE(joined);
}

Task<void> fail(Event& event, const char* why) {
    co_await event.wait();
    throw std::runtime_error(why);
}

TEST(TaskGroup, TellsOfEveryFailureAtOnceAndOfNothingElse) {
    asio::io_context context;
    Event event(context.get_executor());
    std::vector<std::string> failures;
    TaskGroup group(context.get_executor(), [&](const std::exception_ptr& error) {
        try {
            std::rethrow_exception(error);
        } catch (const std::exception& e) {
            failures.push_back(e.what());
        }
    });
    int ended = 0;
    group.spawn(fail(event, "first"));
    group.spawn(fail(event, "second"));
    group.spawn(wait_for_ever(event, ended));
    context.poll();
    event.notify_all();
    context.restart();
    context.poll();
    EXPECT_THAT(failures, ::testing::UnorderedElementsAre("first", "second"));
    group.cancel();
    context.restart();
    context.run();
    EXPECT_EQ(ended, 1);
    EXPECT_EQ(failures.size(), 2u);
}

}  // namespace
}  // namespace receiptd::base
