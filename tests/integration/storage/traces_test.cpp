// The queue of trees that leave as traces: who is queued, once, and what is claimed.
#include "storage/pg_trace_store.hpp"
#include "watch_test_support.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace receiptd::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kQueued = "SELECT tx_hash, included_height FROM trace_outbox ORDER BY 1";

class TraceOutbox : public WatchStoreTest {
protected:
    void SetUp() override {
        WatchStoreTest::SetUp();
        if (!IsSkipped()) choose({.watched = true, .failed = true});
    }
    void choose(const storage::TraceRules& rules) { store().database.traces.set(rules); }
    storage::PgTraceStore& traces() {
        if (!traces_) traces_.emplace(store().database);
        return *traces_;
    }
    RowBatch ended(base::Height height, std::uint32_t number, const std::string& verdict = "failed") {
        auto batch = block_batch(height);
        const auto hash = hash_of(number);
        const auto at = std::to_string(height);
        add_transaction(batch, {hash});
        add_line(batch, Table::transaction_results,
                 {hash, hash, at, time_text(height), "alice.near", "bob.near", verdict, kNull, kNull, at, at,
                  time_text(height), at, "1", "0", "1", "1"});
        return batch;
    }
    // As if all of them had ended now.
    void end_now() { execute("UPDATE trace_outbox SET ended_at = now()"); }
    std::vector<std::string> claim(unsigned most = 10) {
        std::vector<std::string> hashes;
        auto claimed = await(traces().claim_traces(most, false));
        too_old += claimed.too_old;
        for (const auto& trace : claimed.traces) hashes.push_back(trace.queued.tx_hash);
        return hashes;
    }
    static std::string line(std::uint32_t number, base::Height height) {
        return hash_of(number) + "|" + std::to_string(height) + "\n";
    }

    std::uint64_t too_old = 0;

private:
    std::optional<storage::PgTraceStore> traces_;
};

TEST_F(TraceOutbox, HasFailedTreesAndNoOthers) {
    commit(ended(100, 1));
    commit(ended(101, 2, "succeeded"));
    commit(ended(102, 3, "succeeded_with_handled_failure"));
    EXPECT_EQ(rows(kQueued), line(1, 100) + line(3, 102));
}

TEST_F(TraceOutbox, HasAllTreesOfASampleOfOne) {
    choose({.sample = 1});
    commit(ended(100, 1, "succeeded"));
    EXPECT_EQ(rows(kQueued), line(1, 100));
}

TEST_F(TraceOutbox, IsEmptyWhereNothingIsChosen) {
    choose({});
    commit(ended(100, 1));
    EXPECT_EQ(rows(kQueued), "");
}

TEST_F(TraceOutbox, HasNothingOfABackfill) {
    auto batch = ended(100, 1);
    batch.withhold_before({base::WallTime::max(), chain::withheld::kBackfill});
    commit(std::move(batch));
    EXPECT_EQ(rows(kQueued), "");
}

TEST_F(TraceOutbox, HasAWatchedTreeWhenTheWatchEnds) {
    add({new_watch(1)});
    commit(ended(100, 1));
    EXPECT_EQ(rows(kQueued), "");
    auto update = step_update(hash_of(1), Stage::accepted, Stage::final);
    update.transitions = {{Stage::accepted, Stage::included, executed_at(100), "{}"},
                          {Stage::included, Stage::final, executed_at(100), "{}"}};
    this->update(update);
    EXPECT_EQ(rows(kQueued), line(1, 100));
    const auto claimed = await(traces().claim_traces(1, true));
    EXPECT_EQ(claimed.too_old, 1u) << "its block is years old";
}

TEST_F(TraceOutbox, HasAWatchThatEndsWithoutABlock) {
    add({new_watch(1)});
    update(step_update(hash_of(1), Stage::accepted, Stage::expired));
    EXPECT_EQ(rows(kQueued), line(1, 0));
    const auto claimed = await(traces().claim_traces(1, false));
    ASSERT_EQ(claimed.traces.size(), 1u) << "it ended now";
    EXPECT_TRUE(claimed.traces[0].watch);
    EXPECT_EQ(claimed.traces[0].transitions.size(), 1u);
}

TEST_F(TraceOutbox, ForgetsNothingThatComesAgainWithinTheHour) {
    commit(ended(100, 1));
    end_now();
    await(traces().traces_done({{hash_of(1), 100}}));
    add({new_watch(1)});
    auto update = step_update(hash_of(1), Stage::accepted, Stage::final);
    update.transitions = {{Stage::accepted, Stage::included, executed_at(100), "{}"},
                          {Stage::included, Stage::final, executed_at(100), "{}"}};
    this->update(update);
    EXPECT_THAT(claim(), IsEmpty());
    execute("UPDATE trace_outbox SET done_at = now() - interval '61 minutes'");
    await(traces().tend_traces());
    EXPECT_EQ(rows(kQueued), "");
}

TEST_F(TraceOutbox, GivesATreeToOneUntilItsLeaseIsOver) {
    commit(ended(100, 1));
    commit(ended(101, 2));
    end_now();
    EXPECT_THAT(claim(1), ElementsAre(hash_of(1)));
    EXPECT_THAT(claim(), ElementsAre(hash_of(2)));
    EXPECT_THAT(claim(), IsEmpty());
    await(traces().release_traces({{hash_of(2), 101}}));
    EXPECT_THAT(claim(), ElementsAre(hash_of(2)));
    await(traces().traces_done({{hash_of(2), 101}}));
    execute("UPDATE trace_outbox SET claimed_until = now() - interval '1 second'");
    EXPECT_THAT(claim(), ElementsAre(hash_of(1)));
}

TEST_F(TraceOutbox, CountsWhatIsTooOldOnce) {
    commit(ended(100, 1));
    EXPECT_THAT(claim(), IsEmpty());
    EXPECT_EQ(too_old, 1u);
    EXPECT_THAT(claim(), IsEmpty());
    EXPECT_EQ(too_old, 1u);
}

TEST_F(TraceOutbox, ReadsTheTreeAndItsArguments) {
    auto batch = ended(100, 1);
    add_receipt(batch, 100,
                {"A", hash_of(1), hash_of(1), "", "initial", "{}", "alice.near", "bob.near", "success_value",
                 R"([{"FunctionCall":{"method_name":"m","args_json":{"a":1},"gas":1,"deposit":"0"}}])"});
    commit(std::move(batch));
    end_now();
    const auto claimed = await(traces().claim_traces(1, true));
    ASSERT_EQ(claimed.traces.size(), 1u);
    EXPECT_EQ(claimed.traces[0].tree.receipts.size(), 1u);
    EXPECT_EQ(claimed.traces[0].arguments.at("A"), R"({"a":1})");
}

TEST_F(TraceOutbox, SaysWhatWaits) {
    commit(ended(100, 1));
    execute("UPDATE trace_outbox SET queued_at = now() - interval '9 seconds'");
    const auto backlog = await(traces().tend_traces());
    EXPECT_EQ(backlog.pending, 1u);
    EXPECT_GE(backlog.oldest, std::chrono::seconds(9));
    EXPECT_EQ(backlog.crowded_out, 0u);
}

TEST_F(TraceOutbox, KeepsTheTraceparentThatCameFirst) {
    auto watch = new_watch(1);
    add({watch});
    watch.traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    add({watch});
    EXPECT_EQ(await(watches().watch(hash_of(1)))->traceparent, watch.traceparent);
    watch.traceparent = "00-ffffffffffffffffffffffffffffffff-00f067aa0ba902b7-01";
    add({watch});
    EXPECT_EQ(value("SELECT traceparent FROM watches"),
              "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
}

}  // namespace
}  // namespace receiptd::test
