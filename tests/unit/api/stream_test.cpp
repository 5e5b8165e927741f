#include "fakes.hpp"

#include "base/sleep.hpp"

namespace receiptd::api {
namespace {

using namespace api::testing;
using ::testing::HasSubstr;
using ::testing::Not;

class StreamTest : public ApiTest {
protected:
    StreamTest() : feeding_(io_.get_executor()) {}
    void feed() { feeding_.spawn(api().feed_stream()); }

    void happen(std::int64_t id, const std::string& kind = "transition", const std::string& tx_hash = kHash) {
        storage::StreamEvent event;
        event.id = id;
        event.kind = kind;
        event.tx_hash = tx_hash;
        event.body_json = "{\"n\":" + std::to_string(id) + "}";
        findings_.events.push_back(event);
    }
    static std::string text(std::int64_t id, const std::string& kind = "transition") {
        return "id: " + std::to_string(id) + "\nevent: " + kind + "\ndata: {\"n\":" + std::to_string(id) +
               "}\n\n";
    }

    // The reply of an open stream.
    net::ServerReply open(const std::string& query = "", const std::string& last_event_id = "") {
        Ask ask;
        ask.target = "/v1/stream" + query;
        ask.token = "";
        ask.last_event_id = last_event_id;
        auto reply = send(ask);
        EXPECT_EQ(reply.status, 200) << reply.body;
        EXPECT_EQ(header(reply, "Content-Type"), "text/event-stream");
        EXPECT_EQ(read(reply), "retry: 2000\n\n");
        return reply;
    }
    std::string read(const net::ServerReply& reply) { return run_on(io_, reply.next_piece()); }
    // Until the reader has that many events.
    std::string read(const net::ServerReply& reply, std::size_t events) {
        std::string all;
        while (count(all) < events) all += read(reply);
        return all;
    }
    static std::size_t count(const std::string& text) {
        std::size_t events = 0;
        for (auto at = text.find("data: "); at != std::string::npos; at = text.find("data: ", at + 1))
            ++events;
        return events;
    }

    // The reader has asked what is behind 2 before 3 happens, and is answered when the feed knows of it.
    base::Task<void> answer_late_questions() {
        base::asio::steady_timer pause(io_.get_executor());
        while (findings_.late_asked != 2) co_await base::sleep_on(pause, milliseconds(1));
        happen(3);
        findings_.late_answers.erase(1);
        findings_.answer_sent.notify_all();
        while (findings_.last_asked != 3) co_await base::sleep_on(pause, milliseconds(1));
        findings_.late_answers.clear();
        findings_.answer_sent.notify_all();
    }

    base::TaskGroup feeding_;
};

TEST_F(StreamTest, TellsWhatHappensFromNowOn) {
    happen(1);
    feed();
    const auto stream = open();
    happen(2);
    happen(3, "finding");
    EXPECT_EQ(read(stream, 2), text(2) + text(3, "finding"));
}

TEST_F(StreamTest, GoesOnBehindTheEventThatWasSeenLast) {
    // The order is that of their transactions, not of their ids.
    for (const std::int64_t id : {1, 4, 2, 3, 5}) happen(id);
    feed();
    EXPECT_EQ(read(open("", "4"), 3), text(2) + text(3) + text(5));
    EXPECT_EQ(read(open("?after=2"), 2), text(3) + text(5));
    EXPECT_EQ(read(open("?after=1", "3"), 1), text(5));
    EXPECT_EQ(read(open("?after=0"), 5), text(1) + text(4) + text(2) + text(3) + text(5));
}

TEST_F(StreamTest, AReaderThatCatchesUpMissesNothingAndSeesNothingTwice) {
    options_.stream.page.lines = 3;
    options_.stream.kept_events = 2;
    for (std::int64_t id = 1; id <= 10; ++id) happen(id);
    feed();
    const auto stream = open("?after=2");
    std::string all = read(stream, 4);
    for (std::int64_t id = 11; id <= 12; ++id) happen(id);
    while (count(all) < 10) all += read(stream);
    std::string expected;
    for (std::int64_t id = 3; id <= 12; ++id) expected += text(id);
    EXPECT_EQ(all, expected);
}

// A reader learns of 2 before the feed does, and asks what is behind it while the feed learns of 3.
TEST_F(StreamTest, WhatComesWhileAReaderAsksTheDatabaseIsToldAtOnce) {
    options_.stream.heartbeat = std::chrono::hours(1);
    happen(1);
    feed();
    const auto stream = open("?after=0");
    io_.restart();
    findings_.late_answers = {1, 2};
    while (findings_.late_asked != 1) io_.run_one();  // by the feed
    happen(2);
    EXPECT_EQ(read(stream, 2), text(1) + text(2));
    feeding_.spawn(answer_late_questions());
    EXPECT_EQ(read(stream, 1), text(3));
}

TEST_F(StreamTest, AClientHasNoMoreReadersThanAreFree) {
    options_.stream.readers = 8;
    feed();
    std::vector<net::ServerReply> streams;
    const auto opened_by = [&](const std::string& client) {
        for (int opened = 0;; ++opened) {
            Ask ask;
            ask.target = "/v1/stream";
            ask.client = client;
            auto reply = send(ask);
            if (reply.status != 200) return opened;
            streams.push_back(std::move(reply));
        }
    };
    EXPECT_EQ(opened_by("192.0.2.1"), 4);
    EXPECT_EQ(opened_by("192.0.2.2"), 2);
    EXPECT_EQ(opened_by("192.0.2.3"), 1) << "two clients do not take all";
    streams.clear();
    EXPECT_EQ(opened_by("192.0.2.3"), 4) << "whoever leaves gives its seats away";
}

TEST_F(StreamTest, ReadersThatCatchUpWaitForEachOtherAndDelayNobodyElse) {
    options_.database.of_client = 1;
    options_.database.patience = std::chrono::hours(1);
    options_.stream.kept_events = 1;
    for (std::int64_t id = 1; id <= 5; ++id) happen(id);
    feed();
    const auto open_by = [&](const std::string& client) {
        Ask ask;
        ask.target = "/v1/stream?after=1";
        ask.client = client;
        auto reply = send(ask);
        EXPECT_EQ(read(reply), "retry: 2000\n\n");
        return reply;
    };
    const auto first = open_by("192.0.2.1"), second = open_by("192.0.2.1"), other = open_by("192.0.2.2");
    findings_.late_answers = {1};
    base::TaskGroup reading(io_.get_executor());
    const auto begin = [&](const net::ServerReply& reply) {
        reading.spawn([](net::NextPiece next) -> base::Task<void> { co_await next(); }(reply.next_piece));
        io_.restart();
        while (io_.poll() > 0) {
        }
        return findings_.late_waiting;
    };
    EXPECT_EQ(begin(first), 1);
    EXPECT_EQ(begin(second), 1) << "it waits for the other one of its client";
    EXPECT_EQ(begin(other), 2);
    findings_.late_answers.clear();
    findings_.answer_sent.notify_all();
    io_.restart();
    while (reading.running() > 0) io_.run_one();
}

TEST_F(StreamTest, FiltersByKindAndTransaction) {
    feed();
    const auto findings = open("?kind=finding");
    const auto other = open("?tx_hash=" + kOther);
    happen(1);
    happen(2, "finding");
    happen(3, "transition", kOther);
    EXPECT_EQ(read(findings, 1), text(2, "finding"));
    EXPECT_EQ(read(other, 1), text(3));
}

TEST_F(StreamTest, OnePollServesAllReaders) {
    feed();
    std::vector<net::ServerReply> streams;
    for (int i = 0; i < 10; ++i) streams.push_back(open());
    const int before = findings_.polls;
    happen(1);
    for (const auto& stream : streams) EXPECT_EQ(read(stream, 1), text(1));
    EXPECT_LE(findings_.polls - before, 2);
}

TEST_F(StreamTest, NobodyPollsForNobody) {
    feed();
    io_.restart();
    io_.poll();
    EXPECT_EQ(database_.questions, 0);
    { const auto stream = open(); }
    while (io_.run_one_for(milliseconds(5)) > 0) {
    }
    const int asked = database_.questions;
    io_.restart();
    io_.poll();
    EXPECT_EQ(database_.questions, asked);
    // A reader that saw the stream before finds what happened meanwhile.
    happen(1);
    happen(2);
    EXPECT_EQ(read(open("?after=1"), 1), text(2));
}

TEST_F(StreamTest, SilenceIsFilledWithHeartbeatsThatMoveTheIdOn) {
    options_.stream.heartbeat = milliseconds(10);
    feed();
    const auto stream = open("?kind=finding");
    happen(41);
    while (findings_.polls < 2) io_.run_one();
    clock_.now += milliseconds(10);
    EXPECT_EQ(read(stream), ": heartbeat\nid: 41\n\n");
}

TEST_F(StreamTest, AReaderThatIsTooSlowIsCutOffAndOthersAreNot) {
    options_.stream.kept_events = 4;
    feed();
    const auto slow = open();
    happen(1);
    EXPECT_EQ(read(slow, 1), text(1));
    const auto quick = open();
    for (std::int64_t id = 2; id <= 7; ++id) {
        happen(id);
        EXPECT_EQ(read(quick, 1), text(id));
    }
    EXPECT_EQ(read(slow), "");
    EXPECT_THAT(registry_.serialize(), HasSubstr("receiptd_stream_readers_cut_off_total 1"));
    EXPECT_EQ(read(open("", "1"), 6), text(2) + text(3) + text(4) + text(5) + text(6) + text(7));
}

TEST_F(StreamTest, WhatIsKeptIsBoundedByBytesToo) {
    options_.stream.kept_bytes = 1'000;
    feed();
    const auto slow = open();
    happen(1);
    EXPECT_EQ(read(slow, 1), text(1));
    const auto quick = open();
    for (std::int64_t id = 2; id <= 20; ++id) {
        happen(id);
        EXPECT_EQ(read(quick, 1), text(id));
    }
    EXPECT_EQ(read(slow), "");
}

TEST_F(StreamTest, SeatsAreCountedAndGivenBack) {
    options_.stream.readers = 2;
    feed();
    auto first = open();
    const auto second = open();
    const auto refused = get("/v1/stream");
    problem(refused, 503);
    EXPECT_EQ(header(refused, "Retry-After"), "5");
    EXPECT_THAT(registry_.serialize(), HasSubstr("receiptd_stream_readers 2"));
    first = net::ServerReply();
    open();
}

TEST_F(StreamTest, WithoutTheDatabaseThereIsNoNowToBeginAt) {
    database_.away = true;
    feed();
    problem(get("/v1/stream"), 503);
    EXPECT_THAT(registry_.serialize(), HasSubstr("receiptd_stream_readers 0"));
}

TEST_F(StreamTest, WithoutTheDatabaseNoStreamIsResumed) {
    database_.away = true;
    feed();
    EXPECT_EQ(header(get("/v1/stream?after=1"), "Retry-After"), "5");
    problem(get("/v1/stream?after=1"), 503);
}

TEST_F(StreamTest, AReaderThatCannotCatchUpIsSentAwayToComeBack) {
    for (const std::int64_t id : {1, 2}) happen(id);
    feed();
    const auto stream = open("?after=1");  // not among those that are kept
    database_.away = true;
    EXPECT_EQ(read(stream), "");
}

TEST_F(StreamTest, AnIdThatNoEventHasHadIsOfAnotherDatabase) {
    for (const std::int64_t id : {1, 4, 2}) happen(id);
    feed();
    EXPECT_THAT(problem(get("/v1/stream?after=5"), 409)["detail"].get<std::string>(),
                HasSubstr("no event has the id 5, the highest is 4"));
    Ask ask;
    ask.target = "/v1/stream?after=1";
    ask.last_event_id = "77";
    problem(send(ask), 409);
    EXPECT_EQ(read(open("?after=4"), 1), text(2));
}

TEST_F(StreamTest, GoesOnWhenTheDatabaseIsBack) {
    feed();
    const auto stream = open();
    database_.away = true;
    happen(1);
    while (io_.run_one_for(milliseconds(5)) > 0) {
    }
    database_.away = false;
    database_.never.notify_all();
    EXPECT_EQ(read(stream, 1), text(1));
}

TEST_F(StreamTest, NonsenseIsRefused) {
    for (const char* query : {"?kind=alert", "?tx_hash=x", "?after=-1", "?after=x", "?limit=3"})
        problem(get(std::string("/v1/stream") + query), 400);
    Ask ask;
    ask.target = "/v1/stream";
    ask.last_event_id = "seven";
    EXPECT_EQ(problem(send(ask), 400)["parameter"], "Last-Event-ID");
}

TEST(EventText, SplitsLinesSoThatOneEventStaysOne) {
    storage::StreamEvent event;
    event.id = 7;
    event.kind = "finding";
    event.body_json = "{\r\n\"a\":1}";
    EXPECT_EQ(event_text(event), "id: 7\nevent: finding\ndata: {\ndata: \"a\":1}\n\n");
}

}  // namespace
}  // namespace receiptd::api
