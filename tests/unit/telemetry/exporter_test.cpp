// The exporter before a queue and a collector in memory: what is sent, what waits, what is given up.
#include "telemetry/exporter.hpp"

#include "base/coroutine.hpp"
#include "metrics/registry.hpp"
#include "support/hand_clock.hpp"
#include "unit/net/net_loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <deque>
#include <set>
#include <string>

namespace receiptd::telemetry {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Queue final : public storage::TraceStore {
public:
    void put(const std::string& tx_hash) { waiting.push_back({tx_hash, 7}); }

    base::Task<storage::ClaimedTraces> claim_traces(unsigned most, bool with_arguments) override {
        arguments_asked = with_arguments;
        storage::ClaimedTraces claimed;
        claimed.too_old = std::exchange(too_old, 0);
        while (!waiting.empty() && claimed.traces.size() < most) {
            storage::TraceFacts facts;
            facts.queued = waiting.front();
            if (!forgotten.contains(facts.queued.tx_hash)) facts.tree = failed_at_once(facts.queued.tx_hash);
            claimed.traces.push_back(std::move(facts));
            waiting.pop_front();
        }
        co_return claimed;
    }
    base::Task<void> traces_done(std::vector<storage::QueuedTrace> traces) override {
        for (auto& trace : traces) done.push_back(trace.tx_hash);
        co_return;
    }
    base::Task<void> release_traces(std::vector<storage::QueuedTrace> traces) override {
        for (auto& trace : traces) waiting.push_back(trace);
        co_return;
    }
    base::Task<storage::TraceBacklog> tend_traces() override {
        co_return storage::TraceBacklog{waiting.size(), std::chrono::milliseconds(1'500), 2};
    }

    std::deque<storage::QueuedTrace> waiting;
    std::vector<std::string> done;
    std::set<std::string> forgotten;  // nothing is stored of them
    std::uint64_t too_old = 0;
    bool arguments_asked = false;

private:
    static storage::StoredTree failed_at_once(const std::string& tx_hash) {
        storage::StoredTree tree;
        tree.transaction = chain::TransactionFacts{tx_hash, "alice", "app", 0, {}, "swap"};
        chain::OutcomeFacts outcome;
        outcome.id = tx_hash;
        outcome.status = chain::StatusKind::failure;
        outcome.failure = {"invalid_nonce", "too low"};
        outcome.at = chain::ExecutedAt{7, 7'000'000'000};
        tree.outcomes.push_back(outcome);
        return tree;
    }
};

std::vector<std::string> transactions_in(const std::string& body) {
    std::vector<std::string> found;
    const auto request = nlohmann::json::parse(body);
    for (const auto& resource : request.at("resourceSpans"))
        for (const auto& span : resource.at("scopeSpans").at(0).at("spans"))
            for (const auto& attribute : span.at("attributes"))
                if (attribute.at("key") == "near.tx_hash")
                    found.push_back(attribute.at("value").at("stringValue"));
    return found;
}

struct Received {
    std::vector<std::vector<std::string>> requests;  // transactions in each
    std::function<Taken(const std::vector<std::string>&)> answer = [](const auto&) { return Taken{200, ""}; };
};

class FakeCollector final : public Collector {
public:
    explicit FakeCollector(Received& received) : received_(received) {}
    base::Task<Taken> post(std::string body) override {
        received_.requests.push_back(transactions_in(body));
        co_return received_.answer(received_.requests.back());
    }

private:
    Received& received_;
};

class ExporterTest : public ::testing::Test {
protected:
    ExporterTest() {
        settings.otlp_url = "http://127.0.0.1:4318";
        settings.most_per_second = 0;
    }
    Exporter& exporter() {
        if (!exporter_)
            exporter_.emplace(
                io.get_executor(), queue, choice,
                [this](const config::Traces&) { return std::make_unique<FakeCollector>(received); }, series,
                clock, [] { return 0.0; }, [] { return false; }, "testnet", settings);
        return *exporter_;
    }
    bool look() { return net::testing::run_on(io, exporter().look()); }

    boost::asio::io_context io;
    base::HandClock clock;
    metrics::Registry registry;
    metrics::TraceSeries series{registry};
    storage::TraceChoice choice;
    Queue queue;
    Received received;
    config::Traces settings;
    std::optional<Exporter> exporter_;
};

TEST_F(ExporterTest, SendsWhatWaitsAndNotesIt) {
    queue.put("A");
    queue.put("B");
    look();
    EXPECT_THAT(received.requests, ElementsAre(ElementsAre("A", "B")));
    EXPECT_THAT(queue.done, ElementsAre("A", "B"));
    EXPECT_EQ(series.sent.Value(), 2);
    EXPECT_EQ(series.spans.Value(), 2);
    EXPECT_FALSE(look()) << "nothing waits any more";
}

TEST_F(ExporterTest, ComesAgainAtOnceOnlyWhereMoreWaitedThanItTakes) {
    for (unsigned i = 0; i <= kTreesAtOnce; ++i) queue.put("T" + std::to_string(i));
    EXPECT_TRUE(look());
    EXPECT_FALSE(look()) << "others may join";
    EXPECT_THAT(queue.done, SizeIs(kTreesAtOnce + 1));
}

TEST_F(ExporterTest, AsksAgainWhileTheCollectorIsDown) {
    received.answer = [](const auto&) { return Taken{0, "connection refused"}; };
    queue.put("A");
    EXPECT_FALSE(look());
    EXPECT_THAT(queue.done, IsEmpty());
    EXPECT_THAT(queue.waiting, SizeIs(1)) << "another daemon may reach it";
    EXPECT_FALSE(look());
    EXPECT_THAT(received.requests, SizeIs(1)) << "it is left in peace for a second";
    received.answer = [](const auto&) { return Taken{200, ""}; };
    clock.passed += std::chrono::seconds(2);
    look();
    EXPECT_THAT(queue.done, ElementsAre("A"));
}

TEST_F(ExporterTest, WaitsLongerEachTimeAndAsLongAsItIsAsked) {
    received.answer = [](const auto&) { return Taken{503, ""}; };
    queue.put("A");
    look();
    clock.passed += std::chrono::milliseconds(1'100);
    look();
    clock.passed += std::chrono::milliseconds(1'100);
    look();
    EXPECT_THAT(received.requests, SizeIs(2)) << "after the second failure it waits for two seconds";
    received.answer = [](const auto&) { return Taken{429, "", std::chrono::seconds(30)}; };
    clock.passed += std::chrono::seconds(1);
    look();
    clock.passed += std::chrono::seconds(29);
    look();
    EXPECT_THAT(received.requests, SizeIs(3));
    clock.passed += std::chrono::seconds(1);
    look();
    EXPECT_THAT(received.requests, SizeIs(4));
}

TEST_F(ExporterTest, FindsTheTraceThatIsRefusedAndGivesItUp) {
    received.answer = [](const auto& transactions) {
        return Taken{
            std::find(transactions.begin(), transactions.end(), "B") == transactions.end() ? 200 : 400, ""};
    };
    for (const auto* hash : {"A", "B", "C"}) queue.put(hash);
    look();
    EXPECT_THAT(queue.done, ElementsAre("A", "B", "C"));
    EXPECT_EQ(series.sent.Value(), 2);
    EXPECT_EQ(series.refused.Value(), 1);
    EXPECT_EQ(series.requests_failed.Value(), 0);
}

TEST_F(ExporterTest, CountsWhatIsTooOldAndWhatIsNotStoredAnyMore) {
    queue.too_old = 3;
    queue.put("A");
    queue.forgotten = {"A"};
    look();
    EXPECT_THAT(received.requests, IsEmpty());
    EXPECT_THAT(queue.done, ElementsAre("A"));
    EXPECT_EQ(series.too_old.Value(), 3);
    EXPECT_EQ(series.missing.Value(), 1);
}

TEST_F(ExporterTest, CountsSpansThatTheCollectorRejects) {
    received.answer = [](const auto&) {
        Taken taken{200, ""};
        taken.rejected_spans = 1;
        return taken;
    };
    queue.put("A");
    queue.put("B");
    look();
    EXPECT_EQ(series.spans.Value(), 1);
    EXPECT_EQ(series.spans_rejected.Value(), 1);
}

TEST_F(ExporterTest, SendsSoManyInASecond) {
    settings.most_per_second = 2;
    for (const auto* hash : {"A", "B", "C", "D", "E"}) queue.put(hash);
    look();
    EXPECT_THAT(queue.done, SizeIs(2));
    EXPECT_FALSE(look());
    clock.passed += std::chrono::seconds(1);
    look();
    EXPECT_THAT(queue.done, SizeIs(4));
}

TEST_F(ExporterTest, ShowsWhatWaits) {
    queue.put("A");
    look();
    EXPECT_EQ(series.pending.Value(), 1);
    EXPECT_EQ(series.oldest_pending_seconds.Value(), 1.5);
    EXPECT_EQ(series.crowded_out.Value(), 2);
}

TEST_F(ExporterTest, WithoutAnAddressDoesNothingUntilAReloadBringsOne) {
    settings.otlp_url.clear();
    queue.put("A");
    EXPECT_FALSE(look());
    EXPECT_THAT(queue.waiting, SizeIs(1));
    settings.otlp_url = "http://127.0.0.1:4318";
    settings.arguments = true;
    exporter().reload(settings);
    look();
    EXPECT_THAT(queue.done, ElementsAre("A"));
    EXPECT_TRUE(queue.arguments_asked);
}

TEST_F(ExporterTest, ChoosesNothingBeforeItRuns) {
    exporter().reload(settings);
    EXPECT_TRUE(choice.rules().none()) << "a backfill by command sends nothing";
    { auto running = exporter().run(); }
    EXPECT_TRUE(choice.rules().watched);
    EXPECT_TRUE(choice.rules().failed);
    settings.failed = false;
    exporter().reload(settings);
    EXPECT_FALSE(choice.rules().failed);
}

TEST(Fates, AreThoseOfOtlpAndOfWhatSomebodyCorrects) {
    for (const int status : {200, 202}) EXPECT_EQ(fate_of(status), Fate::taken) << status;
    for (const int status : {0, 401, 403, 404, 429, 502, 503, 504})
        EXPECT_EQ(fate_of(status), Fate::again) << status;
    for (const int status : {301, 400, 413, 415, 500}) EXPECT_EQ(fate_of(status), Fate::refused) << status;
}

TEST(Samples, AreTheSameShareForEverybody) {
    const std::string hash = "9av2U6cova7LZPA9NPij6CTUrpBbgPG6LKVkyhcCqtk3";
    EXPECT_FALSE(storage::is_sampled(hash, 0));
    EXPECT_TRUE(storage::is_sampled(hash, 1));
    bool before = false;
    for (double share = 0; share <= 1; share += 0.01) {
        EXPECT_TRUE(!before || storage::is_sampled(hash, share)) << "a larger share has all of a smaller one";
        before = storage::is_sampled(hash, share);
    }
}

}  // namespace
}  // namespace receiptd::telemetry
