// A reader that goes through the stream from event to event sees each of them once, however late it commits.
#include "alert_test_support.hpp"

#include <gmock/gmock.h>

#include <cstdlib>

namespace receiptd::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kAdd = "INSERT INTO stream_events (kind, tx_hash, body) VALUES ('finding', '";

class StreamEvents : public AlertsTest {
protected:
    // A transaction that stays open.
    struct Writer {
        explicit Writer(const std::string& url) : connection(storage::shim::connect(url)), tx(*connection) {}
        void add(const std::string& tx_hash) { tx.exec(kAdd + tx_hash + "', '{}')"); }
        std::unique_ptr<pqxx::connection> connection;
        pqxx::work tx;
    };

    // One of these tests at a time in the cluster: two would wait for each other's open transactions.
    void SetUp() override {
        AlertsTest::SetUp();
        if (IsSkipped()) return;
        turn_ = storage::shim::connect(std::getenv("RECEIPTD_TEST_DATABASE"));
        pqxx::nontransaction(*turn_).exec("SELECT pg_advisory_lock(hashtext('StreamEvents'))");
    }

    // Other tests share the cluster, and a line waits for transactions of other databases and of autovacuum,
    // too: for those that are open now, once.
    storage::PgFindingStore& findings() {
        const auto now = value("SELECT pg_current_xact_id()::xid");
        const auto open =
            "SELECT count(*) FROM pg_stat_activity WHERE (datname <> current_database() OR backend_type <> "
            "'client backend') AND backend_xid IS NOT NULL AND age(backend_xid) >= age('" +
            now + "'::xid)";
        while (value(open) != "0") execute("SELECT pg_sleep(0.01)");
        return process().findings;
    }

    void add(const std::string& tx_hash) { execute(kAdd + tx_hash + "', '{\"n\":1}')"); }
    // Reads on from where the last reading ended.
    std::vector<std::string> read(unsigned limit = 100, std::size_t bytes = 1'000) {
        std::vector<std::string> hashes;
        for (const auto& event : await(findings().stream_events(last_, {limit, bytes}))) {
            hashes.push_back(event.tx_hash);
            last_ = event.id;
        }
        return hashes;
    }

    std::int64_t last_ = 0;

private:
    std::unique_ptr<pqxx::connection> turn_;
};

TEST_F(StreamEvents, AreReadInOrderFromAnyPlace) {
    EXPECT_EQ(await(findings().last_stream_event()), 0);
    for (const char* id : {"a", "b", "c"}) add(id);
    const auto events = await(findings().stream_events(0, {100, 1'000}));
    ASSERT_EQ(events.size(), 3u);
    EXPECT_EQ(events[0].kind, "finding");
    EXPECT_EQ(events[0].body_json, "{\"n\":1}");
    EXPECT_THAT(events[0].at, testing::MatchesRegex("....-..-..T..:..:.........Z"));
    EXPECT_THAT(read(2), ElementsAre("a", "b"));
    EXPECT_THAT(read(2), ElementsAre("c"));
    EXPECT_THAT(read(2), IsEmpty());
    last_ = 0;
    EXPECT_THAT(read(100, 8), ElementsAre("a", "b")) << "each has seven bytes";
    EXPECT_THAT(read(100, 1), ElementsAre("c")) << "one comes however long it is";
    EXPECT_EQ(await(findings().last_stream_event()), events[2].id);
}

TEST_F(StreamEvents, WaitForTheOpenTransactionBeforeThem) {
    Writer slow(database().url());
    slow.add("early");
    add("late");
    EXPECT_THAT(read(), IsEmpty());
    EXPECT_EQ(await(findings().last_stream_event()), 0);
    slow.tx.commit();
    EXPECT_THAT(read(), ElementsAre("early", "late"));
}

TEST_F(StreamEvents, SayHowLongTheyHaveBeenHeldBack) {
    using namespace std::chrono_literals;
    EXPECT_EQ(await(findings().stream_held_up()).time, 0ms);
    Writer slow(database().url());
    slow.tx.exec("SELECT pg_current_xact_id()");
    execute(
        "INSERT INTO stream_events (kind, body, at) VALUES ('finding', '{}', now() - interval '1 hour'), "
        "('finding', '{}', now())");
    EXPECT_GE(await(findings().stream_held_up()).time, 1h);
    slow.tx.commit();
    EXPECT_EQ(await(findings().stream_held_up()).time, 0ms);
}

// The transaction that began first is given the higher id, and commits first.
TEST_F(StreamEvents, ThatCommitLateWithALowerIdAreNotPassedBy) {
    Writer first(database().url()), second(database().url());
    first.tx.exec("SELECT pg_current_xact_id()");
    second.add("lower id");
    first.add("higher id");
    first.tx.commit();
    EXPECT_THAT(read(), ElementsAre("higher id"));
    EXPECT_THAT(read(), IsEmpty());
    second.tx.commit();
    EXPECT_THAT(read(), ElementsAre("lower id"));
    EXPECT_THAT(read(), IsEmpty());
}

TEST_F(StreamEvents, OfATransactionThatIsRolledBackAreNeverTold) {
    {
        Writer gone(database().url());
        gone.add("gone");
        add("stays");
        EXPECT_THAT(read(), IsEmpty());
    }
    EXPECT_THAT(read(), ElementsAre("stays"));
}

TEST_F(StreamEvents, GoOnBehindOneThatIsForgotten) {
    for (const char* id : {"a", "b", "c"}) add(id);
    EXPECT_THAT(read(2), ElementsAre("a", "b"));
    execute("DELETE FROM stream_events WHERE tx_hash IN ('a', 'b')");
    EXPECT_THAT(read(), ElementsAre("c"));
}

// pg_dump keeps the numbers of another cluster's transactions.
TEST_F(StreamEvents, ThatWereRestoredFromADumpComeBeforeTheNewOnes) {
    for (const char* id : {"a", "b"}) add(id);
    execute("UPDATE stream_events SET written_by = '900000000000'");
    EXPECT_THAT(read(), IsEmpty());
    await(findings().prepare());
    add("new");
    EXPECT_THAT(read(), ElementsAre("a", "b", "new"));
}

TEST_F(StreamEvents, ThatWereRestoredKeepTheirOrderWhenTheNewClusterHasCountedPastSome) {
    for (const char* id : {"a", "b"}) add(id);
    execute("UPDATE stream_events SET written_by = '900000000000' WHERE tx_hash = 'b'");
    EXPECT_THAT(read(), ElementsAre("a"));
    await(findings().prepare());
    EXPECT_THAT(read(), ElementsAre("b"));
    last_ = 0;
    EXPECT_THAT(read(), ElementsAre("a", "b"));
}

}  // namespace
}  // namespace receiptd::test
