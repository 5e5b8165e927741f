// Blocks with a strange time: what one host tells is not taken, what all tell is.
#include "fakes.hpp"
#include "rpc/header_check.hpp"

#include <gtest/gtest.h>

namespace receiptd::follow {
namespace {

using namespace std::chrono_literals;
using std::chrono::days;
using testing::Daemon;
using testing::hash_of;
using testing::MemoryStore;
using testing::PaperChain;

constexpr std::uint64_t kDay = 86'400'000'000'000;

class StrangeTimes : public ::testing::TestWithParam<config::Source> {
protected:
    StrangeTimes() {
        chain_.add_range(100, 180);
        honest_.add_range(100, 180);
    }

    void two_hosts_beside() { chain_.others = {{"second", &honest_}, {"third", &honest_}}; }
    // From this height on, all hosts tell blocks that are so much later.
    void jump(base::Height height, std::chrono::seconds by) {
        chain_.jump(height, by);
        honest_.jump(height, by);
    }
    std::unique_ptr<Daemon> daemon(base::Height start) {
        return std::make_unique<Daemon>(
            context_, store_.clock, chain_, chain_, &trees_, testing::stores_of(store_),
            testing::follow_settings(GetParam(), config::Start(std::uint64_t{start})));
    }
    void expect_the_chain(base::Height from, base::Height to) const {
        EXPECT_EQ(store_.coverage.covered, base::HeightSet({from, to}));
        for (const auto& [height, block] : store_.blocks) {
            EXPECT_EQ(block.hash, hash_of(height));
            EXPECT_EQ(block.timestamp_nanosec, chain_.time_of(height));
        }
        EXPECT_EQ(store_.unavailable.size(), 0u);
    }
    // An invented block with a hash of its own, which fits the stored ones.
    void invent(base::Height height, std::uint64_t time) {
        chain_.lie({height, "invented", hash_of(height - 1), height - 1, time}, 3);
        store_.before_commit = [](const chain::RowBatch& batch) {
            for (const auto& block : batch.facts.blocks) EXPECT_NE(block.hash, "invented");
        };
    }

    base::asio::io_context context_;
    PaperChain chain_{context_.get_executor(), GetParam()};
    PaperChain honest_{context_.get_executor(), GetParam()};
    testing::PaperTrees trees_{context_.get_executor(), chain_};
    MemoryStore store_;
};

TEST_P(StrangeTimes, NotAboveTheParentsAreTakenFromNoSingleHost) {
    two_hosts_beside();
    invent(140, 139'000'000'000);
    EXPECT_TRUE(daemon(100)->follow(170).missing.empty());
    expect_the_chain(100, 170);
    EXPECT_FALSE(chain_.doubted.empty());
}

TEST_P(StrangeTimes, FarAheadAreTakenFromNoSingleHostAndGetNoPartition) {
    two_hosts_beside();
    invent(140, 300 * 365 * kDay / 2);
    EXPECT_TRUE(daemon(100)->follow(170).missing.empty());
    expect_the_chain(100, 170);
    EXPECT_EQ(store_.days, std::set<std::int64_t>{0});
}

TEST_P(StrangeTimes, NotAboveTheParentsThatAllTellAreTaken) {
    two_hosts_beside();
    jump(140, -20s);
    EXPECT_TRUE(daemon(100)->follow(170).missing.empty());
    expect_the_chain(100, 170);
}

TEST_P(StrangeTimes, FarAheadThatAllTellAreTakenAndTheClockIsWrong) {
    two_hosts_beside();
    jump(140, days(30));
    const auto following = daemon(100);
    EXPECT_TRUE(following->follow(170).missing.empty());
    expect_the_chain(100, 170);
    EXPECT_EQ(store_.days, (std::set<std::int64_t>{0, 30}));
    EXPECT_NE(following->state.wrong_clock.find("1970-01-31"), std::string::npos)
        << following->state.wrong_clock;
}

TEST_P(StrangeTimes, OfTheOnlyHostAreTaken) {
    chain_.jump(120, days(30));
    chain_.jump(140, -days(20));
    EXPECT_TRUE(daemon(100)->follow(170).missing.empty());
    expect_the_chain(100, 170);
}

TEST_P(StrangeTimes, AboveTheClockAreNoFaultWhereTheClockIsRight) {
    two_hosts_beside();
    jump(140, 20h);
    const auto following = daemon(100);
    EXPECT_TRUE(following->follow(170).missing.empty());
    EXPECT_EQ(following->state.wrong_clock, "");
}

TEST_P(StrangeTimes, OfANewDayEachGetTenPartitionsAMinute) {
    for (base::Height height = 101; height <= 150; ++height) jump(height, days(1));
    EXPECT_TRUE(daemon(100)->follow(150).missing.empty());
    expect_the_chain(100, 150);
    EXPECT_EQ(store_.days.size(), 51u);
    EXPECT_GE(store_.clock.passed, 4min);
}

TEST_P(StrangeTimes, OfHistoryBetweenTwoAgreedBlocksWaitForNothing) {
    two_hosts_beside();
    for (base::Height height = 101; height <= 150; ++height) jump(height, days(1));
    EXPECT_TRUE(daemon(100)->backfill({100, 150}).missing.empty());
    expect_the_chain(100, 150);
    EXPECT_EQ(store_.days.size(), 51u);
    EXPECT_LT(store_.clock.passed, 1min);
}

TEST_P(StrangeTimes, OfHistoryThatOneHostTellsGetNoPartition) {
    two_hosts_beside();
    jump(100, days(50));
    const auto following = daemon(160);
    following->follow(170);
    chain_.lie({110, "invented", "another parent", 109, 3 * kDay}, 3);
    chain_.lie({111, "invented, too", "invented", 110, 13 * kDay}, 3);
    EXPECT_TRUE(daemon(160)->backfill({110, 130}).missing.empty());
    EXPECT_EQ(store_.days, std::set<std::int64_t>{50});
}

TEST_P(StrangeTimes, OfOneBlockMakeNobodyTooLateForAnAlert) {
    chain_.add_failing("early", 150);
    chain_.jump(100, days(50));
    chain_.jump(150, -days(30));
    chain_.jump(151, days(30));
    store_.clock.passed += days(50);
    std::size_t news = 0;
    store_.before_commit = [&](const chain::RowBatch& batch) { news += batch.findings.size(); };
    store_.coverage.made_at = base::WallTime();
    daemon(100)->follow(160);
    const bool blocks_tell_outcomes = GetParam() == config::Source::neardata;
    EXPECT_EQ(news, blocks_tell_outcomes ? 1u : 0u);
    expect_the_chain(100, 160);
}

TEST_P(StrangeTimes, WithAHeaderThatNoHostConfirmsAreNamedAsWhyNothingIsStored) {
    chain_.fail(140, 1'000, rpc::kHeaderNotConfirmed);
    const auto following = daemon(100);
    std::string said;
    following->follow_while([&] {
        said = following->state.disagreement;
        return said.empty();
    });
    EXPECT_EQ(said, "on paper");
    EXPECT_EQ(store_.coverage.covered, base::HeightSet({100, 139}));
}

INSTANTIATE_TEST_SUITE_P(Each, StrangeTimes, ::testing::Values(config::Source::neardata, config::Source::rpc),
                         [](const auto& source) {
                             return source.param == config::Source::rpc ? "rpc" : "neardata";
                         });

}  // namespace
}  // namespace receiptd::follow
