// A host that lies, alone or beside others: nothing false is stored for good, nothing is stopped for good.
#include "fakes.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <gtest/gtest.h>

namespace receiptd::follow {
namespace {

using base::HeightSet;
using testing::Daemon;
using testing::hash_of;
using testing::MemoryStore;
using testing::PaperChain;

class LyingHosts : public ::testing::TestWithParam<config::Source> {
protected:
    LyingHosts() { chain_.add_range(100, 180); }

    void two_honest_hosts_beside() {
        honest_.add_range(100, 180);
        chain_.others = {{"second", &honest_}, {"third", &honest_}};
    }
    Follower::End follow(base::Height start, base::Height until) {
        return follow(config::Start(std::uint64_t{start}), until);
    }
    Follower::End follow(config::Start start, base::Height until) {
        Daemon daemon(context_, store_.clock, chain_, chain_, &trees_, testing::stores_of(store_),
                      testing::follow_settings(GetParam(), start));
        return daemon.follow(until);
    }
    void expect_the_chain(base::Height from, base::Height to) const {
        EXPECT_EQ(store_.coverage.covered, HeightSet({from, to}));
        for (const auto& [height, block] : store_.blocks) EXPECT_EQ(block.hash, hash_of(height));
        EXPECT_EQ(store_.unavailable.size(), 0u);
    }

    base::asio::io_context context_;
    PaperChain chain_{context_.get_executor(), GetParam()};
    PaperChain honest_{context_.get_executor(), GetParam()};
    testing::PaperTrees trees_{context_.get_executor(), chain_};
    MemoryStore store_;
};

TEST_P(LyingHosts, AHeadFarAwayStopsNobody) {
    chain_.tell_head(200'000, 1);
    EXPECT_TRUE(follow(100, 170).missing.empty());
    expect_the_chain(100, 170);
}

TEST_P(LyingHosts, AHeadFarAwayStopsNobodyWhoHasAnotherHost) {
    two_honest_hosts_beside();
    chain_.tell_head(200'000, 3);
    EXPECT_TRUE(follow(100, 170).missing.empty());
    expect_the_chain(100, 170);
}

TEST_P(LyingHosts, ABlockInventedAboveTheTipIsNotStored) {
    chain_.lie({140, "invented", "invented parent", 138, 140'000'000'000}, 2);
    EXPECT_TRUE(follow(100, 170).missing.empty());
    expect_the_chain(100, 170);
}

TEST_P(LyingHosts, ABlockOfAForkIsRefusedAndAskedForAgain) {
    two_honest_hosts_beside();
    chain_.lie({140, "fork", "another 139", 139, 140'000'000'000}, 3);
    EXPECT_TRUE(follow(100, 170).missing.empty());
    expect_the_chain(100, 170);
    EXPECT_FALSE(chain_.doubted.empty());
}

TEST_P(LyingHosts, AnInventedTipThatWasStoredIsRemovedByTwoOthers) {
    two_honest_hosts_beside();
    chain_.lie({140, "invented", hash_of(139), 139, 140'000'000'000}, 1);
    follow(100, 140);
    ASSERT_EQ(store_.blocks.at(140).hash, "invented") << "nothing told against it";
    EXPECT_TRUE(follow(config::Start(config::StartAtHead{}), 170).missing.empty());
    expect_the_chain(100, 170);
}

TEST_P(LyingHosts, AForkThatFitsTheTipIsNeverAgreedOnAndGoes) {
    two_honest_hosts_beside();
    chain_.fork_from(120);
    Daemon daemon(context_, store_.clock, chain_, chain_, &trees_, testing::stores_of(store_),
                  testing::follow_settings(GetParam(), config::Start(std::uint64_t{100})));
    bool stored_false = false;
    daemon.follow_while([&] {
        const bool stores_false = store_.blocks.contains(120) && store_.blocks.at(120).hash != hash_of(120);
        stored_false = stored_false || stores_false;
        EXPECT_TRUE(!stores_false || daemon.state.heights.agreed() < 120);
        return stores_false || daemon.state.heights.agreed() < 180;
    });
    EXPECT_TRUE(stored_false) << "it fits the tip";
    EXPECT_EQ(store_.blocks.size(), 81u);
    for (const auto& [height, block] : store_.blocks) EXPECT_EQ(block.hash, hash_of(height));
}

TEST_P(LyingHosts, AForkThatOnlyOneOtherHostContradictsStaysAndNothingEndsByIt) {
    honest_.add_range(100, 180);
    chain_.others = {{"second", &honest_}};
    chain_.fork_from(120);
    Daemon daemon(context_, store_.clock, chain_, chain_, &trees_, testing::stores_of(store_),
                  testing::follow_settings(GetParam(), config::Start(std::uint64_t{100})));
    daemon.follow_while([&] { return daemon.state.unconfirmed().find("block 120") == std::string::npos; });
    EXPECT_EQ(daemon.state.heights.agreed(), 119u);
    EXPECT_EQ(store_.blocks.at(120).hash, "false " + hash_of(120)) << "who is right, nobody can tell";
}

TEST_P(LyingHosts, AHostThatLagsContradictsNothing) {
    honest_.add_range(100, 150);
    chain_.others = {{"second", &honest_}, {"third", &honest_}};
    Daemon daemon(context_, store_.clock, chain_, chain_, &trees_, testing::stores_of(store_),
                  testing::follow_settings(GetParam(), config::Start(std::uint64_t{100})));
    daemon.follow_while([&] { return daemon.state.heights.agreed() < 150; });
    EXPECT_EQ(store_.blocks.size(), 81u);
    EXPECT_TRUE(chain_.doubted.empty());
}

TEST_P(LyingHosts, AnInventedTipThatWasStoredStopsAHostAloneUntilItIsRepaired) {
    chain_.lie({140, "invented", hash_of(139), 139, 140'000'000'000}, 1);
    follow(100, 140);
    EXPECT_FALSE(follow(config::Start(config::StartAtHead{}), 170).missing.empty());
    EXPECT_EQ(store_.coverage.covered, HeightSet({100, 140})) << "one host alone removes nothing";
    EXPECT_EQ(store_.unavailable.at(141).reason, "broken_chain");
    context_.restart();
    base::asio::co_spawn(context_, store_.remove_block(140), base::asio::detached);
    context_.run();
    EXPECT_TRUE(follow(config::Start(config::StartAtHead{}), 170).missing.empty());
    expect_the_chain(100, 170);
}

TEST_P(LyingHosts, AnEmptyDatabaseStartsWhereHostsAgree) {
    two_honest_hosts_beside();
    chain_.tell_head(200'000, 2);
    EXPECT_TRUE(follow(config::Start(config::StartAtHead{}), 180).missing.empty());
    expect_the_chain(180, 180);
}

TEST_P(LyingHosts, AHeadThatOneHostTellsAloneIsNotWhereAStoredChainGoesOn) {
    two_honest_hosts_beside();
    follow(100, 130);
    chain_.tell_head(200'000, 1);
    Daemon daemon(context_, store_.clock, chain_, chain_, &trees_, testing::stores_of(store_),
                  testing::follow_settings(GetParam(), config::Start(config::StartAtHead{})));
    daemon.follow_while([&] { return store_.coverage.covered != HeightSet({100, 180}); });
    expect_the_chain(100, 180);
    EXPECT_EQ(store_.coverage.wanted, HeightSet({100, 180}));
}

TEST_P(LyingHosts, AHoleStopsNobody) {
    chain_.forget(140);
    EXPECT_EQ(follow(100, 170).missing, HeightSet({140, 140}));
    EXPECT_EQ(store_.coverage.covered.size(), 70u);
    EXPECT_EQ(store_.unavailable.at(140).reason, "UNKNOWN_BLOCK");
}

TEST_P(LyingHosts, ALongHoleStopsNobody) {
    for (base::Height height = 105; height < 175; ++height) chain_.forget(height);
    EXPECT_EQ(follow(100, 178).missing, HeightSet({105, 174}));
}

TEST_P(LyingHosts, ABlockThatComesLaterThanItsChildLeavesNoGap) {
    chain_.fail(140, 2, "timeout");
    EXPECT_TRUE(follow(100, 170).missing.empty());
    expect_the_chain(100, 170);
}

INSTANTIATE_TEST_SUITE_P(Each, LyingHosts, ::testing::Values(config::Source::neardata, config::Source::rpc),
                         [](const auto& source) {
                             return source.param == config::Source::rpc ? "rpc" : "neardata";
                         });

}  // namespace
}  // namespace receiptd::follow
