#include "alert/circuit.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

namespace receiptd::alert {
namespace {

using namespace std::chrono_literals;

class CircuitTest : public ::testing::Test {
protected:
    // So many messages, one after the other.
    void fail(unsigned messages) {
        for (unsigned i = 0; i < messages; ++i) fail_since(now_);
    }
    void fail_since(base::SteadyTime began) {
        circuit_.tried("m" + std::to_string(next_++), true, began, now_);
    }
    void take_since(base::SteadyTime began) { circuit_.tried("taken", false, began, now_); }
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
    take_since(now_);
    fail(4);
    EXPECT_FALSE(circuit_.is_open());
    fail(1);
    EXPECT_TRUE(circuit_.is_open());
}

TEST_F(CircuitTest, LetsOneProbeThroughAtATimeAndLessAndLessOften) {
    fail(5);
    EXPECT_FALSE(circuit_.may_probe(now_));
    now_ += 1s;
    EXPECT_TRUE(circuit_.may_probe(now_));
    circuit_.probe_begins();
    EXPECT_FALSE(circuit_.may_probe(now_));
    circuit_.probe_ends(now_);
    EXPECT_FALSE(circuit_.may_probe(now_ + 1s)) << "it broke down";
    now_ += 2s;
    for (const auto wait : {4s, 8s, 16s, 32s, 64s, 128s, 256s, 300s, 300s}) {
        EXPECT_TRUE(circuit_.may_probe(now_));
        probe(true);
        EXPECT_FALSE(circuit_.may_probe(now_ + wait - 1s));
        now_ += wait;
    }
}

TEST_F(CircuitTest, StaysClosedForOneMessageThatIsNeverTaken) {
    for (int i = 0; i < 20; ++i) circuit_.tried("poison", true, now_, now_);
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
    take_since(now_ - 1s);  // it was under way when the circuit opened
    EXPECT_FALSE(circuit_.is_open());
}

TEST_F(CircuitTest, FailuresOfAttemptsThatWereUnderWayDoNotPutOffTheProbe) {
    fail(5);
    now_ += 900ms;
    fail(3);
    now_ += 100ms;
    EXPECT_TRUE(circuit_.may_probe(now_));
}

TEST_F(CircuitTest, WhatBeganBeforeTheEndpointTookSomethingSaysNothingOfItNow) {
    const auto began = now_;
    now_ += 5s;
    take_since(now_);
    now_ += 10s;
    for (int i = 0; i < 16; ++i) fail_since(began);
    EXPECT_FALSE(circuit_.is_open()) << "they hung together, and it took another meanwhile";
    for (int i = 0; i < 5; ++i) fail_since(began + 5s);
    EXPECT_TRUE(circuit_.is_open()) << "nothing that began since then was taken";
    circuit_.probed(false, now_);
    for (int i = 0; i < 16; ++i) fail_since(began + 5s);
    EXPECT_FALSE(circuit_.is_open()) << "a probe was taken";
}

// One endpoint with a backlog. Of ten attempts it takes seven at once; one gets a 500 at once, and two hang
// for a second.
class FlakyEndpoint {
public:
    FlakyEndpoint(Circuit& circuit, std::size_t at_once) : circuit_(circuit), at_once_(at_once) {
        while (under_way_.size() < at_once_) begin(Attempt::Kind::usual);
    }
    // Goes on until so many attempts have ended.
    void end(unsigned attempts) {
        while (attempts-- > 0) {
            if (under_way_.empty()) probe();
            const auto next = under_way_.begin();
            now_ = next->first;
            const auto attempt = next->second;
            under_way_.erase(next);
            end(attempt);
        }
    }
    unsigned openings = 0;
    base::Duration time_open{};
    base::Duration time() const { return now_ - kStart; }

private:
    static constexpr base::SteadyTime kStart{1h};
    struct Attempt {
        enum class Kind { usual, probe } kind;
        std::string id;
        base::SteadyTime began;
        bool fails;
    };

    void begin(Attempt::Kind kind) {
        const auto chance = chance_() % 10;
        const auto takes = chance >= 8 ? 1s : std::chrono::milliseconds(5 + chance_() % 10);
        under_way_.emplace(now_ + takes, Attempt{kind, "m" + std::to_string(next_++), now_, chance >= 7});
    }
    void probe() {
        const auto asked = now_;
        while (!circuit_.may_probe(now_)) now_ += 10ms;
        time_open += now_ - asked;
        circuit_.probe_begins();
        begin(Attempt::Kind::probe);
    }
    void end(const Attempt& attempt) {
        const bool was_open = circuit_.is_open();
        if (attempt.kind == Attempt::Kind::probe)
            circuit_.probed(attempt.fails, now_);
        else
            circuit_.tried(attempt.id, attempt.fails, attempt.began, now_);
        if (circuit_.is_open()) {
            openings += was_open ? 0 : 1;
            return;
        }
        while (under_way_.size() < at_once_) begin(Attempt::Kind::usual);
    }

    Circuit& circuit_;
    std::size_t at_once_;
    std::mt19937 chance_{7};
    std::multimap<base::SteadyTime, Attempt> under_way_;
    base::SteadyTime now_ = kStart;
    unsigned next_ = 0;
};

TEST_F(CircuitTest, StaysClosedBeforeAnEndpointThatTakesMostOfWhatItIsSentAtOnce) {
    FlakyEndpoint endpoint(circuit_, 16);
    endpoint.end(100'000);
    EXPECT_LE(endpoint.openings, 5U);
    EXPECT_LT(endpoint.time_open, endpoint.time() / 100);
}

TEST_F(CircuitTest, IsSoonClosedAgainWhereChanceAloneOpenedIt) {
    FlakyEndpoint endpoint(circuit_, 1);
    endpoint.end(100'000);
    EXPECT_GT(endpoint.openings, 100U) << "three in ten, five times in a row";
    EXPECT_LT(endpoint.time_open, endpoint.time() / 20);
}

}  // namespace
}  // namespace receiptd::alert
