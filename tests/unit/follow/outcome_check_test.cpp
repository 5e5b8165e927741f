// When alerts begin to wait for the outcomes that they rest on.
#include "base/coroutine.hpp"
#include "fakes.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <optional>
#include <utility>

namespace receiptd::follow {
namespace {

using base::HeightSet;
using testing::Daemon;
using testing::MemoryStore;

// Remembers how many blocks were stored when alerts began to wait for their outcomes.
class Holding final : public storage::OutcomeStore {
public:
    Holding(base::asio::any_io_executor executor, const MemoryStore& store)
        : executor_(std::move(executor)), store_(store) {}

    base::Task<void> hold_alerts(std::optional<std::chrono::seconds> for_long) override {
        for (int turn = 0; turn < 1'000; ++turn)  // a slow database
            co_await base::asio::post(executor_, base::asio::use_awaitable);
        if (for_long) stored_before = store_.blocks.size();
    }
    base::Task<Compared> compare_outcomes(base::Height, base::Height) override { co_return Compared{}; }
    base::Task<void> leave_unconfirmed(HeightSet) override { co_return; }
    base::Task<storage::FalseOutcomes> false_outcomes(base::Height, base::Height) override {
        co_return storage::FalseOutcomes{};
    }
    base::Task<std::map<base::Height, storage::RootsAbove>> roots_above(HeightSet, base::Height) override {
        co_return std::map<base::Height, storage::RootsAbove>{};
    }

    std::optional<std::size_t> stored_before;

private:
    base::asio::any_io_executor executor_;
    const MemoryStore& store_;
};

TEST(OutcomeCheckTest, AlertsWaitForTheirOutcomesBeforeTheFirstBlockIsStored) {
    base::asio::io_context context;
    testing::PaperChain chain{context.get_executor()};
    MemoryStore store;
    chain.add_range(100, 120);
    chain.others = {{"second", &chain}};
    testing::PaperTrees trees(context.get_executor(), chain);
    Holding outcomes(context.get_executor(), store);
    Daemon daemon(context, chain, store, config::Start(std::uint64_t{100}));
    daemon.follower->check_outcomes(outcomes, {trees, chain});
    daemon.follow(110);
    EXPECT_EQ(outcomes.stored_before, 0u);
}

// No chunk header proves an outcome, so the word of a second host decides.
class OutcomesThatNothingProves : public ::testing::Test {
protected:
    void follow(base::Height included_in, base::Height last) {
        chain_.add_range(100, last + 2);
        chain_.add_failing("T1", included_in);
        chain_.others = {{"second", &chain_}};
        auto settings = testing::follow_settings(config::Source::rpc, config::Start(std::uint64_t{100}));
        settings.patience = config::Millis(60'000);
        Daemon daemon(context_, store_.clock, chain_, chain_, &trees_, testing::stores_of(store_), settings);
        daemon.follower->check_outcomes(outcomes_, {trees_, chain_});
        daemon.follow(last);
        EXPECT_TRUE(store_.complete.contains("T1"));
    }

    base::asio::io_context context_;
    testing::PaperChain chain_{context_.get_executor(), config::Source::rpc};
    testing::PaperTrees trees_{context_.get_executor(), chain_};
    MemoryStore store_;
    Holding outcomes_{context_.get_executor(), store_};
};

TEST_F(OutcomesThatNothingProves, AreConfirmedByASecondHostThatGivesNoAnswerAtFirst) {
    trees_.silent_elsewhere = 3;
    follow(108, 110);
    EXPECT_TRUE(store_.confirmed.contains("T1"));
    EXPECT_EQ(trees_.asked_elsewhere, 4u);
}

TEST_F(OutcomesThatNothingProves, AreStoredAsOneHostTellsThemAfterHalfAMinute) {
    trees_.silent_elsewhere = 1'000;
    follow(108, 110);
    EXPECT_FALSE(store_.confirmed.contains("T1"));
    EXPECT_GE(store_.clock.passed, std::chrono::seconds(30));
    EXPECT_LE(trees_.asked_elsewhere, 10u);
}

TEST_F(OutcomesThatNothingProves, OfHistoryAskASecondHostOnce) {
    trees_.silent_elsewhere = 1'000;
    follow(102, 200);
    EXPECT_FALSE(store_.confirmed.contains("T1"));
    EXPECT_EQ(trees_.asked_elsewhere, 1u);
}

}  // namespace
}  // namespace receiptd::follow
