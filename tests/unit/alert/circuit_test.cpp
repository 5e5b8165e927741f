#include "alert/circuit.hpp"

#include <gtest/gtest.h>

namespace receiptd::alert {
namespace {

using namespace std::chrono_literals;

class CircuitTest : public ::testing::Test {
protected:
    // So many messages, one after the other.
    void fail(unsigned messages) {
        for (unsigned i = 0; i < messages; ++i) circuit_.tried("m" + std::to_string(next_++), true, now_);
    }
    void probe(bool failed) {
        circuit_.probe_begins();
        circuit_.probed(failed, now_);
    }
    Circuit circuit_;
    unsigned next_ = 0;
    base::SteadyTime now_{1h};
};

TEST_F(CircuitTest, OpensAfterFiveMessagesInARow) {
    fail(4);
    circuit_.tried("taken", false, now_);
    fail(4);
    EXPECT_FALSE(circuit_.is_open());
    fail(1);
    EXPECT_TRUE(circuit_.is_open());
}

TEST_F(CircuitTest, LetsOneProbeThroughAtATimeAndLessAndLessOften) {
    fail(5);
    EXPECT_FALSE(circuit_.may_probe(now_));
    now_ += 30s;
    EXPECT_TRUE(circuit_.may_probe(now_));
    circuit_.probe_begins();
    EXPECT_FALSE(circuit_.may_probe(now_));
    circuit_.probe_ends(now_);
    EXPECT_FALSE(circuit_.may_probe(now_ + 59s)) << "it broke down";
    now_ += 60s;
    for (const auto wait : {120s, 240s, 300s, 300s}) {
        probe(true);
        EXPECT_FALSE(circuit_.may_probe(now_ + wait - 1s));
        now_ += wait;
        EXPECT_TRUE(circuit_.may_probe(now_));
    }
}

TEST_F(CircuitTest, StaysClosedForOneMessageThatIsNeverTaken) {
    for (int i = 0; i < 20; ++i) circuit_.tried("poison", true, now_);
    EXPECT_FALSE(circuit_.is_open());
    fail(4);
    EXPECT_TRUE(circuit_.is_open()) << "it counts as one";
}

TEST_F(CircuitTest, IsClosedByTheFirstSuccess) {
    fail(5);
    probe(false);
    EXPECT_FALSE(circuit_.is_open());
    fail(4);
    EXPECT_FALSE(circuit_.is_open());
    fail(1);
    EXPECT_TRUE(circuit_.is_open());
    circuit_.tried("taken", false, now_);  // it was under way when the circuit opened
    EXPECT_FALSE(circuit_.is_open());
}

TEST_F(CircuitTest, FailuresOfAttemptsThatWereUnderWayDoNotPutOffTheProbe) {
    fail(5);
    now_ += 29s;
    fail(3);
    now_ += 1s;
    EXPECT_TRUE(circuit_.may_probe(now_));
}

}  // namespace
}  // namespace receiptd::alert
