// How far back a host reaches, as the router learns and uses it.
#include "rpc/questions.hpp"
#include "unit/rpc/world.hpp"

#include <gtest/gtest.h>

namespace receiptd::rpc {
namespace {

using namespace testing;

Transport::Reply denied() { return error("UNKNOWN_BLOCK", 422); }

TEST_F(RouterTest, ARegularHostThatToldItsHorizonIsAskedForNothingBelowIt) {
    auto& regular = world.host("regular", HostKind::regular);
    auto& archival = world.host("archival", HostKind::archival);
    regular.script = [](const auto&) { return denied(); };
    world.router();
    upstream(1).saw_block(100'000);
    for (std::size_t i : {0, 1}) upstream(i).reaches_back_to(90'000);
    EXPECT_FALSE(upstream(1).memory().below_horizon(50)) << "an archival one tells that of its recent data";
    for (chain::BlockHeight height = 50; height < 60; ++height)
        EXPECT_EQ(*ask(ask_block(height, Priority::backfill)), 1u);
    archival.script = [](const auto&) { return denied(); };
    const auto skipped = ask(ask_block(60, Priority::backfill));
    ASSERT_FALSE(skipped);
    EXPECT_TRUE(skipped.error().absent);
    EXPECT_EQ(regular.seen.size(), 0u);
}

TEST_F(RouterTest, TheFalseHeadOfAnotherHostMakesNoBlockLookForgotten) {
    auto& honest = world.host("honest", HostKind::regular);
    world.host("liar", HostKind::regular);
    honest.script = [](const auto&) { return denied(); };
    world.router();
    upstream(0).saw_block(1'000);
    upstream(1).saw_block(100'000);
    auto call = ask_block(1'050, Priority::head);
    call.first_host = 0;
    EXPECT_EQ(*ask(std::move(call)), 1u) << "an invented block above the honest head";
    EXPECT_FALSE(upstream(0).memory().below_horizon(1'050));
}

}  // namespace
}  // namespace receiptd::rpc
