// Daemons on one database: one follows the head, the others wait to take over.
#include "follow/leadership.hpp"
#include "unit/follow/fakes.hpp"
#include "unit/follow/memory_lease.hpp"

#include <gtest/gtest.h>

namespace receiptd::follow {
namespace {

using base::HeightSet;
using testing::Daemon;
using testing::MemoryStore;
using testing::PaperChain;

base::Task<void> take_turns(Follower& follower, Leadership& leadership) {
    co_await follower.follow_in_turns(leadership);
}

// One of the daemons, with its lease.
struct Candidate {
    Candidate(boost::asio::io_context& context, PaperChain& chain, MemoryStore& store, std::string name)
        : daemon(context, chain, store, config::Start(std::uint64_t{100})),
          lease(store, std::move(name)),
          leadership(
              context.get_executor(), lease, [](const std::string&) { return false; }, daemon.series) {}

    Daemon daemon;
    testing::MemoryLease lease;
    Leadership leadership;
};

class Turns : public ::testing::Test {
protected:
    Turns() {
        chain_.add_range(100, 120);
        store_.before_commit = [this](const chain::RowBatch& batch) { epochs_.insert(*batch.facts.epoch); };
    }
    ~Turns() override {
        for (auto* each : {&first_, &second_}) each->daemon.follower->stop();
        until([&] { return following_.running() == 0; });
    }

    void start() {
        for (auto* each : {&first_, &second_}) {
            looks(*each);
            following_.spawn(take_turns(*each->daemon.follower, each->leadership));
        }
    }
    void looks(Candidate& candidate) {
        base::TaskGroup looking(context_.get_executor());
        looking.spawn(candidate.leadership.look());
        until([&] { return looking.running() == 0; });
    }
    void until(const std::function<bool()>& condition) {
        const auto give_up_at = store_.clock.passed + std::chrono::hours(1);
        while (!condition()) {
            const auto done = first_.daemon.settle() + second_.daemon.settle();
            if (done > 0) continue;
            store_.clock.passed += std::chrono::milliseconds(10);
            for (auto* each : {&first_, &second_}) each->daemon.state.stop.signal.notify_all();
            ASSERT_LT(store_.clock.passed, give_up_at);
        }
    }
    void until_stored(base::Height last) {
        until([&] { return store_.coverage.covered == HeightSet({100, last}); });
    }

    boost::asio::io_context context_;
    PaperChain chain_{context_.get_executor()};
    MemoryStore store_;
    std::set<std::int64_t> epochs_;
    Candidate first_{context_, chain_, store_, "first"};
    Candidate second_{context_, chain_, store_, "second"};
    base::TaskGroup following_{context_.get_executor()};
};

TEST_F(Turns, OneFollowsTheHead) {
    start();
    until_stored(120);
    EXPECT_EQ(epochs_, std::set<std::int64_t>{1});
    EXPECT_EQ(chain_.fetches[110], 1u) << "the other asks no host";
}

TEST_F(Turns, TheOtherTakesOverFromWhatIsStoredAndTheFormerLeaderCommitsNothing) {
    start();
    until_stored(120);
    store_.clock.passed += std::chrono::seconds(4);
    looks(second_);
    ASSERT_TRUE(first_.leadership.epoch()) << "it was frozen meanwhile";
    chain_.add_range(121, 140);
    until_stored(140);
    EXPECT_EQ(second_.daemon.state.heights.tip()->height, 140u);
    looks(second_);  // it renews its lease
    looks(first_);
    EXPECT_FALSE(first_.leadership.epoch());
    chain_.add_range(141, 150);
    until_stored(150);
    EXPECT_EQ(store_.unavailable.size(), 0u);
    EXPECT_EQ(store_.blocks.size(), 51u);
}

TEST_F(Turns, TheyMayChangeOften) {
    start();
    for (base::Height last = 130; last <= 180; last += 10) {
        store_.clock.passed += std::chrono::seconds(4);
        looks(last % 20 == 0 ? first_ : second_);
        looks(first_);
        looks(second_);
        chain_.add_range(last - 9, last);
        until_stored(last);
    }
}

}  // namespace
}  // namespace receiptd::follow
