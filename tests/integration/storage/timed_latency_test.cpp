// Rules about how long watched transactions take.
#include "timed_test_support.hpp"

#include <gmock/gmock.h>

namespace receiptd::test {
namespace {

using ::testing::HasSubstr;

// Transactions of payout.near that entered "completed" at a height, so many seconds after they were included.
class LatencyTest : public TimedRulesTest {
protected:
    void completed(base::Height at, int seconds, int count, const std::string& sender = "payout.near") {
        for (int i = 0; i < count; ++i) {
            const auto hash = hash_of(next_++);
            execute("INSERT INTO watches (tx_hash, sender_id, stage, created_at) VALUES ('" + hash + "', '" +
                    sender + "', 'completed', now())");
            step(hash, "pending", "included", at, seconds);
            step(hash, "executing", "completed", at, 0);
        }
    }
    std::string waits(base::Height included) {
        const auto hash = hash_of(next_++);
        execute("INSERT INTO watches (tx_hash, sender_id, stage) VALUES ('" + hash +
                "', 'payout.near', 'included')");
        step(hash, "pending", "included", included, 0);
        return hash;
    }

private:
    void step(const std::string& hash, const std::string& from, const std::string& to, base::Height at,
              int seconds_before) {
        execute(
            "INSERT INTO watch_transitions (tx_hash, from_stage, to_stage, block_height, block_time, "
            "evidence) "
            "VALUES ('" +
            hash + "', '" + from + "', '" + to + "', " + std::to_string(at) + ", " + sql_time(at) +
            " - interval '" + std::to_string(seconds_before) + " seconds', '{}')");
    }
    std::uint32_t next_ = 1;
};

TEST_F(LatencyTest, IsToldOnceWithItsNumbers) {
    declare({kSlowPayouts});
    follow(1, 400);
    completed(300, 2, 18);
    completed(300, 45, 1);
    completed(300, 90, 1, "else.near");
    EXPECT_EQ(judged(400), TimedState::samples);
    completed(310, 60, 1);
    EXPECT_EQ(judged(400), TimedState::alert);
    EXPECT_EQ(judged(400), TimedState::alert);
    EXPECT_EQ(told(), "rule:slow:2022-10-19T00:06:40.000000Z|team\n");
    const auto cause = value("SELECT cause FROM alerts");
    for (const auto* part :
         {R"("percentile":95,"over_seconds":30,"took_seconds":45,"transactions":20,"too_slow":2)",
          R"("took_seconds":60,"waits":false)", R"("window_seconds":300)", R"("stage":"completed")"})
        EXPECT_THAT(cause, HasSubstr(part));
}

TEST_F(LatencyTest, EndsWhenTheSlowOnesHaveLeftTheWindow) {
    declare({kSlowPayouts});
    follow(1, 700);
    completed(200, 45, 20);
    evaluate(400);
    EXPECT_EQ(episodes(), "slow|06:40|open\n");
    EXPECT_EQ(judged(700), TimedState::samples);
    EXPECT_EQ(episodes(), "slow|06:40|11:40\n");
}

TEST_F(LatencyTest, CountsTransactionsThatStillWait) {
    declare({kSlowPayouts});
    follow(1, 400);
    completed(300, 2, 18);
    for (int i = 0; i < 2; ++i) waits(350);
    EXPECT_EQ(judged(400), TimedState::alert) << "they have waited for 50 seconds";
    EXPECT_THAT(value("SELECT cause FROM alerts"), HasSubstr(R"("took_seconds":50,"waits":true)"));
}

TEST_F(LatencyTest, DoesNotCountTransactionsThatMayBeInTime) {
    declare({kSlowPayouts});
    follow(1, 400);
    completed(300, 2, 18);
    for (int i = 0; i < 2; ++i) waits(375);
    EXPECT_EQ(judged(400), TimedState::samples);
}

TEST_F(LatencyTest, IsNotJudgedWhileItsWindowHasAGap) {
    declare({kSlowPayouts});
    follow(1, 400, {}, {200});
    completed(300, 45, 20);
    EXPECT_EQ(judged(400), TimedState::history);
}

}  // namespace
}  // namespace receiptd::test
