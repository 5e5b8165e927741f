#include "follow/leadership.hpp"

#include "metrics/registry.hpp"
#include "support/await.hpp"
#include "unit/follow/memory_lease.hpp"

#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>

#include <set>

namespace receiptd::follow {
namespace {

class LeadershipTest : public ::testing::Test {
protected:
    // A daemon as far as it leads.
    struct Candidate {
        Candidate(LeadershipTest& test, std::string name)
            : lease(test.store_, std::move(name)),
              leadership(
                  test.context_.get_executor(), lease,
                  [&test](const std::string& process) { return test.gone_.contains(process); }, series) {}
        bool looks() {
            test::await(leadership.look());
            return leadership.epoch().has_value();
        }
        metrics::Registry registry;
        metrics::FollowSeries series{registry};
        testing::MemoryLease lease;
        Leadership leadership;
    };

    void pass(unsigned seconds) { store_.clock.passed += std::chrono::seconds(seconds); }

    boost::asio::io_context context_;
    testing::MemoryStore store_;
    std::set<std::string> gone_;
    Candidate first_{*this, "first"};
    Candidate second_{*this, "second"};
};

TEST_F(LeadershipTest, TheFirstLeadsAndTheSecondWaits) {
    EXPECT_EQ(first_.leadership.lease(), std::nullopt);
    EXPECT_TRUE(first_.looks());
    EXPECT_FALSE(second_.looks());
    EXPECT_EQ(second_.leadership.lease()->place, "first");
    EXPECT_EQ(first_.series.leader.Value(), 1);
    EXPECT_EQ(second_.series.leader.Value(), 0);
}

TEST_F(LeadershipTest, WhoeverIsSilentIsReplacedAndLearnsItWhenItLooks) {
    first_.looks();
    second_.looks();
    pass(4);
    EXPECT_TRUE(second_.looks());
    EXPECT_TRUE(first_.leadership.epoch()) << "it was frozen: only the database knows";
    EXPECT_FALSE(first_.looks());
    EXPECT_EQ(first_.series.leader.Value(), 0);
}

TEST_F(LeadershipTest, OneThatWasKilledOnThisMachineIsNotWaitedFor) {
    first_.looks();
    EXPECT_FALSE(second_.looks());
    gone_.insert("first");
    EXPECT_TRUE(second_.looks());
}

TEST_F(LeadershipTest, WhoeverResignsIsReplacedAtOnce) {
    first_.looks();
    test::await(first_.leadership.resign());
    EXPECT_TRUE(second_.looks());
}

}  // namespace
}  // namespace receiptd::follow
