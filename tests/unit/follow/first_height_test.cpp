// Where a daemon begins: an empty database where it is asked to, a stored chain where it ends, and nothing is
// left out in between.
#include "fakes.hpp"

#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace receiptd::follow {
namespace {

using base::Height;
using base::HeightSet;
using testing::Daemon;
using testing::MemoryStore;
using testing::PaperChain;

config::Start at(Height height) { return config::Start(std::uint64_t{height}); }
const config::Start kHead{config::StartAtHead{}};

class FirstHeightTest : public ::testing::Test {
protected:
    base::asio::io_context context_;
    PaperChain chain_{context_.get_executor()};
    MemoryStore store_;

    void follow_until_stored(Height from, Height to, config::Start start) {
        Daemon daemon(context_, chain_, store_, start);
        daemon.follow_while([&] { return store_.coverage.covered != HeightSet({from, to}); });
        EXPECT_EQ(store_.coverage.wanted, HeightSet({from, to}));
    }

    // The chain has moved on while no daemon ran.
    void stored_up_to_120_of_a_chain_up_to(Height head) {
        chain_.add_range(100, 120);
        follow_until_stored(100, 120, at(100));
        chain_.add_range(121, head);
    }
    // In which order the heights above 120 were asked for.
    std::vector<Height> asked_;
    void note_what_is_asked_for() {
        chain_.on_fetch = [this](Height height) {
            if (height > 120) asked_.push_back(height);
        };
    }
    std::size_t turn_of(Height height) const {
        return static_cast<std::size_t>(std::find(asked_.begin(), asked_.end(), height) - asked_.begin());
    }
};

class FirstHeight : public FirstHeightTest, public ::testing::WithParamInterface<config::Start> {
protected:
    using FirstHeightTest::follow_until_stored;
    void follow_until_stored(Height from, Height to) { follow_until_stored(from, to, GetParam()); }
};

TEST_P(FirstHeight, AfterARestartNothingIsMissing) {
    stored_up_to_120_of_a_chain_up_to(160);
    follow_until_stored(100, 160);
}

TEST_P(FirstHeight, AfterALongBreakTheHeadComesBeforeWhatWasMissed) {
    stored_up_to_120_of_a_chain_up_to(1'000);
    note_what_is_asked_for();
    follow_until_stored(100, 1'000);
    EXPECT_LT(turn_of(1'000), turn_of(200));
}

TEST_P(FirstHeight, WhatWasMissedIsAGapForTheNextDaemonToo) {
    stored_up_to_120_of_a_chain_up_to(1'000);
    chain_.fail(500, 1'000);
    {
        Daemon killed(context_, chain_, store_, GetParam());
        killed.follow_while([&] { return !store_.blocks.contains(1'000); });
    }
    EXPECT_TRUE(store_.coverage.gaps().contains(500));
    chain_.fail(500, 0);
    chain_.add_range(1'001, 1'300);
    follow_until_stored(100, 1'300);
}

TEST_P(FirstHeight, ADatabaseThatWentBackIsFollowedFromWhereItEnds) {
    stored_up_to_120_of_a_chain_up_to(1'000);
    follow_until_stored(100, 1'000);
    store_.coverage.covered = store_.coverage.wanted = HeightSet({100, 300});
    store_.blocks.erase(store_.blocks.upper_bound(300), store_.blocks.end());
    follow_until_stored(100, 1'000);
}

TEST_P(FirstHeight, WhereTheHostsDoNotAgreeOnTheHeadEachBlockIsProvenByTheOneBelow) {
    stored_up_to_120_of_a_chain_up_to(1'000);
    PaperChain behind(context_.get_executor());
    behind.add_range(100, 500);
    chain_.others = {{"second", &behind}};
    note_what_is_asked_for();
    follow_until_stored(100, 1'000);
    EXPECT_LT(turn_of(200), turn_of(999));
}

TEST_P(FirstHeight, WhatAnOperatorSkipsIsNotFetchedBeforeABackfillNamesIt) {
    stored_up_to_120_of_a_chain_up_to(1'000);
    base::asio::co_spawn(context_, store_.skip({0, 800}), base::asio::detached);
    context_.restart();
    context_.run();
    note_what_is_asked_for();
    {
        Daemon daemon(context_, chain_, store_, GetParam());
        daemon.follow_while(
            [&] { return !store_.blocks.contains(1'000) || !store_.coverage.gaps().empty(); });
    }
    EXPECT_EQ(store_.coverage.covered.within({101, 1'000}).size(), 20u + 200u);
    EXPECT_EQ(turn_of(500), asked_.size());
    EXPECT_TRUE(Daemon(context_, chain_, store_, GetParam()).backfill({121, 800}).missing.empty());
    EXPECT_EQ(store_.coverage.covered, HeightSet({100, 1'000}));
}

INSTANTIATE_TEST_SUITE_P(Start, FirstHeight, ::testing::Values(kHead, at(100), at(50), at(5'000)),
                         [](const auto& start) {
                             const auto* height = std::get_if<std::uint64_t>(&start.param);
                             return height == nullptr ? "head" : "height" + std::to_string(*height);
                         });

TEST_F(FirstHeightTest, AnEmptyDatabaseBeginsWhereItIsAskedTo) {
    chain_.add_range(100, 300);
    follow_until_stored(150, 300, at(150));
    EXPECT_EQ(store_.coverage.followed_since, 150u);
}

TEST_F(FirstHeightTest, AnEmptyDatabaseThatFollowedTheHeadMissesNothingSince) {
    store_.coverage.followed_since = 110;
    chain_.add_range(100, 300);
    follow_until_stored(110, 300, kHead);
}

TEST_F(FirstHeightTest, AHostThatGivesNoAnswerHoldsUpAFirstStartForAMinute) {
    for (const auto& [start, first] :
         std::vector<std::pair<config::Start, Height>>{{kHead, 300}, {at(150), 150}}) {
        SCOPED_TRACE(first);
        PaperChain chain(context_.get_executor());
        MemoryStore store;
        chain.add_range(100, 300);
        chain.others = {{"unpaid", nullptr}};
        Daemon daemon(context_, chain, store, start);
        daemon.follow_while(
            [&] { return !store.blocks.contains(300) && store.clock.passed < std::chrono::minutes(2); });
        EXPECT_EQ(store.coverage.covered, HeightSet({first, 300}));
        EXPECT_GT(store.clock.passed, std::chrono::minutes(1));
        EXPECT_LT(chain.asked, 120u) << "about once a second";
        EXPECT_NE(daemon.state.unconfirmed().find("unpaid: no answer (http_402)"), std::string::npos);
        EXPECT_EQ(daemon.state.disagreement, "");
    }
}

class SecondHost : public FirstHeightTest {
protected:
    SecondHost() {
        chain_.add_range(100, 300);
        second_.add_range(100, 300);
        chain_.fork_from(150);
        chain_.others = {{"second", nullptr}};
        follow_while([this] { return !store_.blocks.contains(300); });
        EXPECT_EQ(store_.blocks.at(200).hash, "false " + testing::hash_of(200));
        EXPECT_EQ(store_.coverage.one_host_since, 150u);
    }
    void follow_while(const std::function<bool()>& goes_on) {
        Daemon(context_, chain_, store_, at(150)).follow_while(goes_on);
    }

    PaperChain second_{context_.get_executor()};
};

TEST_F(SecondHost, WhatItContradictsIsRemovedAndFetchedWhenTheyAgree) {
    chain_.others = {{"second", &second_}};
    follow_while([this] { return !store_.blocks.empty(); });
    chain_.doubt("paper");  // it tells the truth from now on
    second_.fork_from(150);
    {
        Daemon daemon(context_, chain_, store_, at(150));
        const auto until = store_.clock.passed + std::chrono::minutes(3);
        daemon.follow_while([&] { return store_.clock.passed < until; });
        EXPECT_TRUE(store_.blocks.empty()) << "they do not agree on the first one";
    }
    second_.doubt("second");
    follow_until_stored(150, 300, at(150));
    for (const auto& [height, block] : store_.blocks) EXPECT_EQ(block.hash, testing::hash_of(height));
    follow_while([&] { return store_.coverage.one_host_since.has_value(); });
}

TEST_F(SecondHost, WhatItConfirmsStaysWhateverItTellsLater) {
    second_.fork_from(150);
    chain_.others = {{"second", &second_}};
    follow_while([&] { return store_.coverage.one_host_since.has_value(); });
    second_.doubt("second");
    Daemon daemon(context_, chain_, store_, at(150));
    daemon.follow_while([&] { return daemon.state.unconfirmed().empty(); });
    EXPECT_EQ(store_.coverage.covered, HeightSet({150, 300}));
}

TEST_F(FirstHeightTest, HostsThatDifferKeepAnEmptyDatabaseEmpty) {
    chain_.add_range(100, 300);
    PaperChain other(context_.get_executor());
    other.add_range(100, 200);
    chain_.others = {{"other", &other}};
    Daemon daemon(context_, chain_, store_, kHead);
    daemon.follow_while([&] { return store_.clock.passed < std::chrono::minutes(5); });
    EXPECT_TRUE(store_.blocks.empty());
    EXPECT_LT(chain_.asked, 600u) << "not twice a second";
}

TEST_F(FirstHeightTest, WhatABackfillStoredAboveTheEndLeavesNoHole) {
    stored_up_to_120_of_a_chain_up_to(400);
    Daemon(context_, chain_, store_, kHead).backfill({300, 310});
    follow_until_stored(100, 400, kHead);
}

}  // namespace
}  // namespace receiptd::follow
