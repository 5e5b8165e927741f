// Blocks are looked through before they are final only while somebody waits for a transaction.
#include "follow/early_look.hpp"
#include "fakes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

namespace receiptd::follow {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

class Waiting final : public testing::Listener {
public:
    bool awaits_inclusion() const override { return waits; }
    bool wants(const std::string& tx_hash) const override { return tx_hash.starts_with("wanted"); }
    void seen_early(const std::string& tx_hash, const chain::SeenEarly& seen) override {
        told.push_back(tx_hash + " in " + seen.inclusion.block_hash + " by " + seen.host);
    }
    bool waits = false;
    std::vector<std::string> told;
};

class Blocks final : public rpc::EarlyBlocks {
public:
    base::Task<base::Result<std::vector<rpc::EarlyBlock>, rpc::Unavailable>> next() override {
        ++asked;
        if (is_down) co_return rpc::Unavailable{"http_500", "main"};
        std::vector<rpc::EarlyBlock> now;
        if (!coming.empty()) now.push_back(std::move(coming.front())), coming.pop_front();
        co_return std::move(now);
    }
    bool waits() const override { return long_poll; }

    void add(base::Height height, std::vector<std::string> tx_hashes) {
        coming.push_back(
            {{height, "hash" + std::to_string(height), {}, {}, 0}, "main", std::move(tx_hashes)});
    }
    std::deque<rpc::EarlyBlock> coming;
    unsigned asked = 0;
    bool is_down = false;
    bool long_poll = false;
};

class EarlyLooking : public ::testing::Test {
protected:
    EarlyLooking()
        : series_(registry_),
          state_(series_, clock_),
          look_(blocks, state_),
          group_(context_.get_executor()) {
        state_.listener = &listener;
        group_.spawn(look_.run());
    }
    ~EarlyLooking() override {
        state_.stop.request();
        settle();
    }
    void pass(base::Duration time) {
        for (base::Duration passed{}; passed < time; passed += 10ms) {
            clock_.passed += 10ms;
            state_.stop.signal.notify_all();
            settle();
        }
    }
    void settle() {
        context_.restart();
        context_.poll();
    }

    Waiting listener;
    Blocks blocks;

private:
    base::asio::io_context context_;
    testing::ManualClock clock_;
    metrics::Registry registry_;
    metrics::FollowSeries series_;
    State state_;
    EarlyLook look_;
    base::TaskGroup group_;
};

TEST_F(EarlyLooking, AsksNothingWhereNobodyWaits) {
    pass(5s);
    EXPECT_EQ(blocks.asked, 0u);
}

TEST_F(EarlyLooking, TellsWhatIsWantedOfEachBlock) {
    listener.waits = true;
    blocks.add(101, {"wanted-1", "other"});
    blocks.add(102, {"wanted-2"});
    pass(5s);
    EXPECT_THAT(listener.told, ElementsAre("wanted-1 in hash101 by main", "wanted-2 in hash102 by main"));
    const auto asked = blocks.asked;
    EXPECT_LE(asked, 5u * 1'000 / 300 + 4) << "a chain that stands still is asked for seldom";
    listener.waits = false;
    pass(2s);
    const auto last = blocks.asked;
    pass(5s);
    EXPECT_EQ(blocks.asked, last);
}

TEST_F(EarlyLooking, GoesOnWhenHostsAnswerAgain) {
    listener.waits = blocks.is_down = true;
    pass(2s);
    blocks.is_down = false;
    blocks.add(101, {"wanted"});
    pass(2s);
    EXPECT_EQ(listener.told.size(), 1u);
}

TEST_F(EarlyLooking, AsksAServiceThatWaitsByItselfAtOnce) {
    listener.waits = blocks.long_poll = true;
    for (base::Height height = 101; height <= 120; ++height) blocks.add(height, {"wanted"});
    pass(1s);
    EXPECT_EQ(listener.told.size(), 20u);
}

}  // namespace
}  // namespace receiptd::follow
