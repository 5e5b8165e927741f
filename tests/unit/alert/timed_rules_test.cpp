// When the timed rules are judged, and what is known of them meanwhile.
#include "alert/timed_rules.hpp"

#include "metrics/registry.hpp"
#include "storage/errors.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <gmock/gmock.h>

namespace receiptd::alert {
namespace {

using namespace std::chrono_literals;
using storage::TimedState;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class FakeTimedRules final : public storage::TimedRuleStore {
public:
    base::Task<std::optional<storage::TimedReport>> evaluate(std::int64_t epoch,
                                                             base::WallTime newest) override {
        evaluated.emplace_back(epoch, newest);
        co_return answer;
    }
    std::vector<std::pair<std::int64_t, base::WallTime>> evaluated;
    std::optional<storage::TimedReport> answer = storage::TimedReport{{{TimedState::quiet, 3}}, {}, false};
};

class TimedRulesLoop : public ::testing::Test {
protected:
    void look() {
        auto done = boost::asio::co_spawn(context_, rules_.look(), boost::asio::use_future);
        context_.restart();
        context_.run();
        done.get();
    }
    static base::WallTime at(std::chrono::seconds time) { return base::WallTime(time); }
    std::string metrics() { return registry_.serialize(); }

    boost::asio::io_context context_;
    metrics::Registry registry_;
    metrics::AlertSeries series_{registry_};
    FakeTimedRules store_;
    std::optional<std::int64_t> epoch_ = 7;
    std::optional<base::WallTime> newest_ = at(1000s);
    TimedRules rules_{context_.get_executor(), store_,
                      JudgedChain{[this] { return epoch_; }, [this] { return newest_; }}, series_};
};

TEST_F(TimedRulesLoop, JudgesOnceAMinuteOfChainTime) {
    for (const auto time : {1000s, 1030s, 1059s, 1060s, 1060s, 1119s, 1120s}) {
        newest_ = at(time);
        look();
    }
    EXPECT_THAT(store_.evaluated, ElementsAre(Pair(7, at(1000s)), Pair(7, at(1060s)), Pair(7, at(1120s))));
}

TEST_F(TimedRulesLoop, GoesOnAtOnceWhileHistoryIsCounted) {
    store_.answer->more = true;
    look();
    look();
    EXPECT_EQ(store_.evaluated.size(), 2u);
}

TEST_F(TimedRulesLoop, JudgesNothingWhileAnotherDaemonLeads) {
    epoch_.reset();
    look();
    EXPECT_TRUE(store_.evaluated.empty());
    EXPECT_FALSE(rules_.report());
}

TEST_F(TimedRulesLoop, SaysThatItIsNotAtTheHeadAndJudgesWhenItIs) {
    look();
    newest_.reset();
    look();
    EXPECT_THAT(rules_.report()->rules, ElementsAre(Pair(TimedState::not_at_head, 3)));
    EXPECT_THAT(metrics(), HasSubstr("receiptd_timed_rules{state=\"not_at_head\"} 3"));
    EXPECT_THAT(metrics(), HasSubstr("receiptd_timed_rules{state=\"quiet\"} 0"));
    newest_ = at(1001s);
    look();
    EXPECT_THAT(rules_.report()->rules, ElementsAre(Pair(TimedState::quiet, 3)));
}

TEST_F(TimedRulesLoop, AnEvaluationThatAnotherLeaderHasOvertakenTellsNothing) {
    store_.answer.reset();
    look();
    EXPECT_FALSE(rules_.report());
    look();
    EXPECT_EQ(store_.evaluated.size(), 2u);
}

TEST_F(TimedRulesLoop, ForgetsWhatItKnowsWhenItLeadsNoMore) {
    look();
    rules_.rest();
    EXPECT_FALSE(rules_.report());
    EXPECT_THAT(metrics(), HasSubstr("receiptd_timed_rules{state=\"quiet\"} 0"));
    look();
    EXPECT_EQ(store_.evaluated.size(), 2u) << "a new turn";
}

TEST_F(TimedRulesLoop, JudgesADatabaseThatWentBack) {
    look();
    newest_ = at(500s);
    look();
    EXPECT_EQ(store_.evaluated.size(), 2u);
}

}  // namespace
}  // namespace receiptd::alert
