// Questions of people: none is repeated for ever, and none holds up what others wait for.
#include "alert_test_support.hpp"
#include "metrics/registry.hpp"
#include "watch_test_support.hpp"

#include <gmock/gmock.h>

#include <future>

namespace receiptd::test {
namespace {

using namespace std::chrono_literals;
using storage::StorageTimeout;

class Questions : public StoreTest {
protected:
    storage::DatabaseOptions hurried() {
        auto options = database().options();
        options.question_timeout = 50ms;
        return options;
    }
    // Until it is in time: the machine may be busy.
    template <class Ask>
    static void ask_until_answered(Ask ask) {
        for (bool answered = false; !answered;) try {
                ask();
                answered = true;
            } catch (const StorageTimeout&) {
            }
    }
};

TEST_F(Questions, ThatTakeTooLongAreGivenUpAndTheStreamGoesOn) {
    Process process(hurried());
    const auto list = [&] { return await(process.findings.list_findings({})).size(); };
    {
        auto blocker = storage::shim::connect(database().url());
        pqxx::work lock(*blocker);
        lock.exec("LOCK TABLE findings IN ACCESS EXCLUSIVE MODE");
        EXPECT_THROW(list(), StorageTimeout);
        EXPECT_EQ(await(process.findings.last_stream_event()), 0);
        EXPECT_TRUE(await(process.deliveries.delivery_backlog()).empty());
    }
    ask_until_answered([&] { EXPECT_EQ(list(), 0u); });
}

TEST_F(Questions, AboutWatchesAreGivenUpToo) {
    OpenStore open(database().url(), hurried());
    storage::PgWatchStore watches(open.database, open.clock, storage::WaitedFor::by_people);
    const auto add = [&] {
        std::vector<storage::NewWatch> list = {new_watch(1)};
        return await(watches.add_watches(std::move(list)));
    };
    {
        auto blocker = storage::shim::connect(database().url());
        pqxx::work lock(*blocker);
        lock.exec("LOCK TABLE watches IN ACCESS EXCLUSIVE MODE");
        EXPECT_THROW(await(watches.list_watches({})), StorageTimeout);
        EXPECT_THROW(await(watches.watch(hash_of(1))), StorageTimeout);
        EXPECT_THROW(add(), StorageTimeout);
    }
    ask_until_answered([&] { add(); });
    ask_until_answered([&] { EXPECT_EQ(await(watches.list_watches({})).size(), 1u); });
}

TEST_F(Questions, ToAServerThatIsNotThereAreGivenUpWhileItsDaemonGoesOnTrying) {
    auto options = hurried();
    options.url = base::Secret("postgresql://receiptd:hush@127.0.0.1:1/none");
    Process process(options);
    EXPECT_THROW(await(process.findings.list_findings({})), StorageTimeout);
    auto waiting = std::async(std::launch::async, [&] { await(process.findings.last_stream_event()); });
    EXPECT_THROW(await(process.findings.list_findings({})), StorageTimeout);
    process.database.request_stop();
    EXPECT_THROW(waiting.get(), storage::StorageStopped);
}

TEST_F(Questions, AreNotBegunWhenNobodyWaitsForThemAnyMore) {
    metrics::Registry registry;
    metrics::StorageSeries series(registry);
    storage::SessionContext context(database().options(), series);
    storage::Session session(context, storage::WaitedFor::by_people);
    bool begun = false;
    const auto ask = [&](pqxx::connection&) { begun = true; };
    EXPECT_THROW(session.run(ask, base::SteadyTime()), StorageTimeout);
    EXPECT_FALSE(begun);
    session.run(ask);
    EXPECT_TRUE(begun);
}

// Work of the daemon has to be done: on a slow disk it gets more time with each try, and is told of.
TEST_F(Questions, WorkOfTheDaemonThatTakesTooLongGetsMoreTimeAndIsToldOf) {
    auto options = database().options();
    options.statement_timeout = 200ms;
    metrics::Registry registry;
    metrics::StorageSeries series(registry);
    storage::SessionContext context(options, series);
    storage::Session session(context);
    const auto limit = [](pqxx::connection& connection) {
        pqxx::work tx(connection);
        return std::string(tx.exec("SHOW statement_timeout")[0][0].c_str());
    };
    std::vector<std::string> limits;
    ::testing::internal::CaptureStderr();
    session.run([&](pqxx::connection& connection) {
        limits.push_back(limit(connection));
        if (limits.size() == 4) return;
        pqxx::work tx(connection);
        tx.exec("SELECT pg_sleep(3600)");
    });
    const auto told = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(limits, (std::vector<std::string>{"200ms", "400ms", "800ms", "1600ms"}));
    EXPECT_THAT(told, ::testing::HasSubstr("warn database transaction is repeated sqlstate=57014"));
    EXPECT_THAT(told, ::testing::Not(::testing::HasSubstr("times=2")));
    EXPECT_EQ(session.run(limit), "200ms") << "other work is not given more";
}

}  // namespace
}  // namespace receiptd::test
