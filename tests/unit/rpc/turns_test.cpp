#include "rpc/turns.hpp"
#include "base/coroutine.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::rpc {
namespace {

Verdict answer() { return {}; }
Verdict busy() {
    Verdict verdict;
    verdict.error_class = ErrorClass::rate_limited;
    verdict.reason = kBusy;
    return verdict;
}

class TurnsAtAHost : public ::testing::Test {
protected:
    void ask(std::string who, Priority priority) {
        boost::asio::co_spawn(io, take(std::move(who), priority), boost::asio::detached);
        settle();
    }
    void end(const std::string& who, const Verdict& verdict = answer()) {
        under_way.at(who)->over(verdict);
        under_way.erase(who);
        settle();
    }
    std::vector<std::string> names() const {
        std::vector<std::string> names;
        for (const auto& [who, turn] : under_way) names.push_back(who);
        return names;
    }
    // As many answers as widen a window that has never been too wide.
    void prove() {
        for (unsigned i = 0; i < TurnWindow::kProof; ++i) {
            ask("proof", Priority::head);
            end("proof");
        }
    }

    boost::asio::io_context io;
    std::shared_ptr<Turns> turns = std::make_shared<Turns>(io.get_executor());
    std::map<std::string, std::shared_ptr<Turns::Turn>> under_way;

private:
    base::Task<void> take(std::string who, Priority priority) {
        auto turn = co_await Turns::take(turns, priority);
        under_way[who] = std::move(turn);
    }
    void settle() {
        io.restart();
        while (io.poll() > 0) io.restart();
    }
};

using Names = std::vector<std::string>;

TEST_F(TurnsAtAHost, AreOneAtATime) {
    ask("first", Priority::head);
    ask("second", Priority::head);
    EXPECT_EQ(names(), Names{"first"});
    end("first");
    EXPECT_EQ(names(), Names{"second"});
}

TEST_F(TurnsAtAHost, OfHistoryWaitForAllOfTheHead) {
    ask("old", Priority::backfill);
    ask("older", Priority::backfill);
    ask("head", Priority::head);
    EXPECT_EQ(names(), Names{"old"});
    end("old");
    EXPECT_EQ(names(), Names{"head"});
    end("head");
    EXPECT_EQ(names(), Names{"older"});
}

TEST_F(TurnsAtAHost, AreMoreAtOnceWhereTheHostTakesMoreAndNeverOfBothKinds) {
    prove();
    ask("a", Priority::head);
    ask("old", Priority::gap);
    ask("b", Priority::head);
    ask("c", Priority::head);
    EXPECT_EQ(names(), (Names{"a", "b"}));
    end("a");
    end("b", busy());
    EXPECT_EQ(names(), Names{"c"});
    end("c");
    EXPECT_EQ(names(), Names{"old"});
}

TEST_F(TurnsAtAHost, ThatAreWaitedForCountAsItsLoad) {
    EXPECT_EQ(turns->load(), 0u);
    ask("a", Priority::backfill);
    ask("b", Priority::backfill);
    ask("c", Priority::head);
    EXPECT_EQ(turns->load(), 3u);
    end("a");
    end("c");
    end("b");
    EXPECT_EQ(turns->load(), 0u);
}

TEST(TurnWindow, IsHalfAsWideForABusyHostAndThenTakesFourTimesTheProof) {
    TurnWindow window;
    const auto answers = [&](unsigned count) {
        for (unsigned i = 0; i < count; ++i) window.answered();
        return window.size();
    };
    EXPECT_EQ(answers(TurnWindow::kProof - 1), 1u);
    EXPECT_EQ(answers(1), 2u);
    EXPECT_EQ(answers(100 * TurnWindow::kProof), TurnWindow::kMost);
    window.busy();
    EXPECT_EQ(window.size(), TurnWindow::kMost / 2);
    window.busy();
    window.busy();
    EXPECT_EQ(window.size(), 1u);
    EXPECT_EQ(answers(64 * TurnWindow::kProof - 1), 1u);
    EXPECT_EQ(answers(1), 2u);
}

}  // namespace
}  // namespace receiptd::rpc
