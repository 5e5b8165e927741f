// Whatever step fails: whoever comes after brings every watch to its end, through the same stages, each once.
#include "unit/watch/faulty.hpp"
#include "unit/watch/tracker_fakes.hpp"

#include <boost/asio/post.hpp>

#include <gtest/gtest.h>

#include <future>

namespace receiptd::watch {
namespace {

using chain::Stage;
using test::Fault;

constexpr std::uint64_t kBlockTime = 1'700'000'000'000'000'000;

// One watch whose tree is stored, one that only hosts know, one that a block brings, one that a rule names
// in that block; and trackers that work on them, one after another.
class Watched {
public:
    Watched(test::Steps& of_store, test::Steps& of_hosts)
        : faulty_store_(store_, of_store), faulty_hosts_(hosts_, of_hosts) {
        store_.add("stored").transaction.watched_since = 90;
        store_.include("stored", 95, true);
        store_.add("older");
        auto& known = hosts_.known["older"];
        known.included_at = known.initial_at = known.completed_at = known.settled_at =
            chain::ExecutedAt{80, kBlockTime};
        known.verdict = chain::Verdict::succeeded;
        store_.add("coming").transaction.watched_since = 90;
    }

    void run() {
        for (int lives = 0; lives < 8; ++lives) live();
    }

    std::map<std::string, std::vector<Stage>> stages() const { return store_.made; }
    const std::set<std::string>& kept() const { return kept_; }
    void expect_all_final() const {
        EXPECT_EQ(store_.rows.size(), 4u);
        for (const auto& [tx_hash, watch] : store_.rows)
            EXPECT_EQ(watch.state.stage, Stage::final) << tx_hash;
        for (const auto& [tx_hash, made] : store_.made)
            for (std::size_t i = 1; i < made.size(); ++i) EXPECT_LT(made[i - 1], made[i]) << tx_hash;
    }

private:
    static chain::CommitFacts block() {
        chain::CommitFacts facts;
        facts.seen.collected = true;
        for (const char* tx_hash : {"coming", "ruled"}) {
            chain::SeenTransaction seen;
            seen.tx_hash = tx_hash;
            seen.signer_id = std::string(tx_hash) == "ruled" ? "carol" : "alice";
            seen.receiver_id = "bob";
            seen.included_at = {101, kBlockTime};
            seen.stored = true;
            facts.seen.transactions.push_back(seen);
        }
        return facts;
    }
    void commit_block(Tracker& tracker) {
        auto facts = block();
        store_.want(tracker.wanted(facts.seen));
        for (const char* tx_hash : {"coming", "ruled"}) store_.include(tx_hash, 101, true);
        covered_ = 101;
        tracker.committed(facts);
    }

    void live() {
        Tracker tracker(context_.get_executor(), cpu_, faulty_store_, faulty_hosts_, series_, clock_, view(),
                        settings());
        base::TaskGroup group(context_.get_executor());
        group.spawn(tracker.run());
        settle(tracker);
        if (!group.failed() && covered_ < 101) commit_block(tracker);
        settle(tracker);
        settle(tracker);
        group.cancel();
        settle(tracker);
        EXPECT_EQ(group.running(), 0u);
        clock_.passed += std::chrono::minutes(2);
    }
    ChainView view() {
        ChainView view;
        view.alerts_sent_since = [] { return base::WallTime(); };
        view.final_height = [this] { return std::optional(covered_); };
        view.agreed_height = [this] { return covered_; };
        view.covered_up_to = [this](chain::BlockHeight) { return std::optional(covered_); };
        view.missing_in = [this](base::HeightRange range) {
            base::HeightSet missing(range);
            missing.subtract({0, covered_});
            return missing;
        };
        view.gaps_in = view.untried_in = [](base::HeightRange) { return base::HeightSet(); };
        view.stored_block = [](std::string) -> base::Task<std::optional<chain::BlockRef>> {
            co_return std::nullopt;
        };
        view.follows_since = [](chain::BlockHeight) { return true; };
        view.is_at_head = [] { return true; };
        view.keep = [this](storage::FoundTransaction found) { return keep(std::move(found)); };
        return view;
    }
    static TrackerSettings settings() {
        TrackerSettings settings;
        settings.tick = std::chrono::milliseconds(1);
        settings.rules = {{"all of carol", "carol", "", ""}};
        settings.lifecycle.validity_blocks = 50;
        return settings;
    }
    base::Task<void> keep(storage::FoundTransaction found) {
        kept_.insert(found.tx_hash);
        co_return;
    }
    // All that can happen now, in loops that are woken instead of waiting for their time.
    void settle(Tracker& tracker) {
        store_.wake();
        chain::CommitFacts nothing;
        nothing.seen.collected = true;
        tracker.committed(nothing);
        std::size_t done = 1;
        while (done > 0) {
            context_.restart();
            done = context_.poll();
            std::promise<void> idle;
            boost::asio::post(cpu_, [&] { idle.set_value(); });
            idle.get_future().wait();
            context_.restart();
            done += context_.poll();
        }
    }

    boost::asio::io_context context_{1};
    boost::asio::thread_pool cpu_{1};
    testing::FakeClock clock_;
    testing::MemoryWatches store_{context_.get_executor(), clock_};
    testing::FakeHosts hosts_;
    testing::FaultyWatches faulty_store_;
    testing::FaultyHosts faulty_hosts_;
    metrics::Registry registry_;
    metrics::WatchSeries series_{registry_};
    chain::BlockHeight covered_ = 100;
    std::set<std::string> kept_;
};

class TrackerFaults : public ::testing::TestWithParam<Fault> {
protected:
    static bool of_hosts() { return GetParam() == Fault::unavailable || GetParam() == Fault::exception; }
};

TEST_P(TrackerFaults, MoveNoWatchBackwardsAndLoseNone) {
    test::Steps none, nor_here;
    Watched quiet(none, nor_here);
    quiet.run();
    quiet.expect_all_final();
    const auto swept = test::sweep(GetParam(), [&](test::Steps& steps) {
        test::Steps never;
        Watched work(of_hosts() ? never : steps, of_hosts() ? steps : never);
        work.run();
        work.expect_all_final();
        EXPECT_EQ(work.stages(), quiet.stages());
        EXPECT_EQ(work.kept(), quiet.kept());
    });
    EXPECT_GE(swept, of_hosts() ? 2u : 60u);
}

INSTANTIATE_TEST_SUITE_P(Each, TrackerFaults,
                         ::testing::Values(Fault::before, Fault::after, Fault::unavailable, Fault::exception),
                         [](const auto& fault) { return test::fault_name(fault.param); });

}  // namespace
}  // namespace receiptd::watch
