// The worker that finds trees of listed receipts: what it asks, and when it stops asking.
#include "follow/unplaced_receipts.hpp"

#include "base/coroutine.hpp"
#include "metrics/registry.hpp"
#include "unit/follow/fakes.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace receiptd::follow {
namespace {

using rpc::Priority;
using storage::UnplacedReceipt;

// Everything is due at once.
class MemoryUnplaced final : public storage::UnplacedStore {
public:
    void list(const std::string& id, const std::string& signer) {
        UnplacedReceipt unplaced;
        unplaced.receipt = {id, "token.near", signer, 10, 10'000'000'000};
        waiting.push_back(std::move(unplaced));
    }
    base::Task<storage::UnplacedRound> due_unplaced(unsigned) override {
        storage::UnplacedRound round;
        round.due = waiting;
        co_return round;
    }
    base::Task<std::uint64_t> unplaced_count(base::HeightRange) override { co_return waiting.size(); }
    base::Task<void> postpone_unplaced(std::string id, std::chrono::milliseconds, bool in_vain,
                                       std::string) override {
        for (auto& unplaced : waiting)
            if (unplaced.receipt.receipt_id == id && in_vain) ++unplaced.attempts;
        co_return;
    }
    base::Task<void> place(storage::FoundTransaction found) override {
        forget(found.asked_for);
        for (const auto& id : found.receipt_ids) forget(id);
        placed.push_back(std::move(found));
        co_return;
    }
    base::Task<void> want_outcome(std::string id, std::string) override {
        for (auto& unplaced : waiting)
            if (unplaced.receipt.receipt_id == id) unplaced.wants_outcome = true;
        co_return;
    }
    base::Task<void> store_orphan(std::string id, chain::RowBatch) override {
        forget(id);
        orphans.push_back(std::move(id));
        co_return;
    }
    base::Task<std::optional<chain::ExecutedAt>> executed_at(std::string, std::string) override {
        co_return std::nullopt;
    }

    std::vector<UnplacedReceipt> waiting;
    std::vector<storage::FoundTransaction> placed;
    std::vector<std::string> orphans;

private:
    void forget(const std::string& id) {
        std::erase_if(waiting, [&](const auto& unplaced) { return unplaced.receipt.receipt_id == id; });
    }
};

class Hosts final : public rpc::ReceiptSource, public rpc::TreeSource {
public:
    base::Task<OriginResult> origin(std::string id, Priority) override {
        asked.push_back(id);
        if (not_offered) co_return rpc::ReceiptSource::Unknown{"nobody", true};
        if (unknown) co_return rpc::ReceiptSource::Unknown{"nobody", false};
        Origin origin{"TX", "alice.near"};
        co_return origin;
    }
    base::Task<BodyResult> body(std::string, Priority) override {
        co_return rpc::ReceiptSource::Unknown{"nobody", false};
    }
    base::Task<ProofResult> outcome(std::string, std::string, std::string, Priority) override {
        co_return rpc::ReceiptSource::Unknown{"nobody", true};
    }
    base::Task<TreeResult> tree(Query) override {
        Tree tree;
        auto& status = tree.status.value;
        status.transaction.emplace().hash = "TX";
        status.transaction_outcome.emplace().block_hash = "hash5";
        status.transaction_outcome->receipt_ids = {"R1", "R2"};
        co_return std::move(tree);
    }
    base::Task<base::Result<chain::BlockRef, rpc::Unavailable>> final_block(std::string hash, base::Height,
                                                                            Priority) override {
        co_return chain::BlockRef{5, std::move(hash), "hash4", 4, 5'000'000'000};
    }

    void forget_blocks(const base::HeightSet&) override {}
    base::Task<std::optional<bool>> holds_blocks(base::HeightRange, Priority) override {
        co_return std::nullopt;
    }
    base::Task<std::optional<chain::ShardLayout>> shard_layout(base::Height, std::optional<ShardWitness>,
                                                               Priority) override {
        co_return std::nullopt;
    }

    std::vector<std::string> asked;
    bool not_offered = false;
    bool unknown = false;
};

class UnplacedWork : public ::testing::Test {
protected:
    UnplacedWork() {
        scope_.kind = chain::ScopeKind::accounts;
        scope_.accounts = {"token.near"};
        state_.head.learn({100, "hash100", "hash99", 99, 100'000'000'000});
    }
    // Until nothing waits any more.
    void work() {
        UnplacedReceipts receipts(context_.get_executor(), {hosts_, hosts_, waiting_}, store_, state_,
                                  scope_);
        base::TaskGroup group(context_.get_executor());
        group.spawn(receipts.run());
        group.spawn(stop_when_done());
        context_.run();
        EXPECT_FALSE(group.failed());
    }
    base::Task<void> stop_when_done() {
        while (!waiting_.waiting.empty()) {
            clock_.passed += std::chrono::milliseconds(100);
            state_.stop.signal.notify_all();
            co_await base::asio::post(context_.get_executor(), base::asio::use_awaitable);
        }
        state_.stop.request();
    }

    boost::asio::io_context context_;
    testing::ManualClock clock_;
    metrics::Registry registry_;
    metrics::FollowSeries series_{registry_};
    State state_{series_, clock_};
    testing::MemoryStore store_;
    chain::Scope scope_;
    MemoryUnplaced waiting_;
    Hosts hosts_;
};

TEST_F(UnplacedWork, OneQuestionPlacesAllReceiptsOfATree) {
    waiting_.list("R1", "alice.near");
    waiting_.list("R2", "alice.near");
    work();
    EXPECT_EQ(hosts_.asked, std::vector<std::string>{"R1"});
    ASSERT_EQ(waiting_.placed.size(), 1u);
    EXPECT_EQ(waiting_.placed[0].tx_hash, "TX");
    EXPECT_EQ(waiting_.placed[0].rows[chain::Table::pending_trees].rows, 1u);
    EXPECT_EQ(waiting_.placed[0].timestamp_nanosec, 5'000'000'000u);
}

TEST_F(UnplacedWork, WhatNobodyOffersIsAskedOnce) {
    hosts_.not_offered = true;
    for (const char* id : {"R1", "R2", "R3"}) waiting_.list(id, "alice.near");
    work();
    EXPECT_EQ(hosts_.asked, std::vector<std::string>{"R1"});
    EXPECT_EQ(waiting_.orphans.size(), 3u) << "without an outcome, as nobody offers proofs";
    EXPECT_EQ(series_.orphans_left.Value(), 3);
}

TEST_F(UnplacedWork, WhatNobodyKnowsIsAskedSomeTimes) {
    hosts_.unknown = true;
    waiting_.list("R1", "alice.near");
    work();
    EXPECT_EQ(hosts_.asked.size(), 6u);
    EXPECT_EQ(waiting_.orphans, std::vector<std::string>{"R1"});
}

}  // namespace
}  // namespace receiptd::follow
