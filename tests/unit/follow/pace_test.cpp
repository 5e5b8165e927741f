// The pace of questions: whatever the hosts lack, none of them is asked more often for want of another.
#include "fakes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace receiptd::follow {
namespace {

using base::Height;
using testing::Daemon;
using testing::MemoryStore;
using testing::PaperChain;

constexpr unsigned kMostInASecond = 16;
constexpr double kMostInTheMean = 2;  // seconds in which nothing is stored

struct Want {
    std::string name;
    config::Start start;
    bool has_stored = false;  // up to 120, before
    std::function<void(PaperChain&, PaperChain& other)> make;
};

const config::Start kStartsAtHead{config::StartAtHead{}};
const config::Start kStartsAtHeight{std::uint64_t{150}};

void say_nothing(PaperChain& chain, PaperChain&) { chain.others = {{"second", nullptr}}; }
void lag(PaperChain& chain, PaperChain& other) {
    other.add_range(100, 110);
    chain.others = {{"second", &other}};
}
void contradict(PaperChain& chain, PaperChain& other) {
    other.add_range(100, 1'000);
    other.fork_from(115);
    chain.others = {{"second", &other}};
}
void lack_a_block(PaperChain& chain, PaperChain&) { chain.fail(500, 1'000'000); }
void break_the_chain(PaperChain& chain, PaperChain&) { chain.forge(121, "another 120"); }

class Pace : public ::testing::TestWithParam<Want> {
protected:
    base::asio::io_context context_;
    PaperChain chain_{context_.get_executor()};
    PaperChain other_{context_.get_executor()};
    MemoryStore store_;

    // Questions to the one host: for blocks, heads, and for its word.
    unsigned asked() const {
        unsigned fetches = 0;
        for (const auto& [height, count] : chain_.fetches) fetches += count;
        return fetches + chain_.asked;
    }
};

TEST_P(Pace, NoHostIsAskedMoreOftenForWantOfAnother) {
    chain_.add_range(100, 120);
    if (GetParam().has_stored)
        Daemon(context_, chain_, store_, config::Start(std::uint64_t{100})).follow(120);
    chain_.add_range(121, 1'000);
    GetParam().make(chain_, other_);
    Daemon daemon(context_, chain_, store_, GetParam().start);
    const auto began = store_.clock.passed;
    auto stored = store_.blocks.size();
    auto second_began = began;
    auto asked_before = asked();
    unsigned most = 0, all = 0, seconds = 0;
    daemon.follow_while([&] {
        if (store_.clock.passed - second_began >= std::chrono::seconds(1)) {
            const auto now_asked = asked();
            // A question for a block that is stored then is not in vain.
            if (store_.blocks.size() == stored) {
                most = std::max(most, now_asked - asked_before);
                all += now_asked - asked_before;
                ++seconds;
            }
            asked_before = now_asked;
            stored = store_.blocks.size();
            second_began = store_.clock.passed;
        }
        return store_.clock.passed - began < std::chrono::minutes(10);
    });
    EXPECT_GT(seconds, 300u);
    EXPECT_LE(most, kMostInASecond);
    EXPECT_LE(all, kMostInTheMean * seconds);
}

INSTANTIATE_TEST_SUITE_P(
    Wants, Pace,
    ::testing::Values(Want{"SilentAtAFirstStart", kStartsAtHead, false, say_nothing},
                      Want{"SilentAtAFirstStartFromAHeight", kStartsAtHeight, false, say_nothing},
                      Want{"SilentLater", kStartsAtHead, true, say_nothing},
                      Want{"LagAtAFirstStart", kStartsAtHead, false, lag},
                      Want{"LagAtAFirstStartFromAHeight", kStartsAtHeight, false, lag},
                      Want{"LagLater", kStartsAtHead, true, lag},
                      Want{"ContradictionAtAFirstStart", kStartsAtHead, false, contradict},
                      Want{"ContradictionAtAFirstStartFromAHeight", kStartsAtHeight, false, contradict},
                      Want{"ContradictionLater", kStartsAtHead, true, contradict},
                      Want{"ABlockThatIsNowhere", kStartsAtHead, true, lack_a_block},
                      Want{"AChainThatDoesNotFit", kStartsAtHead, true, break_the_chain}),
    [](const auto& want) { return want.param.name; });

TEST(Jitter, DiffersBetweenDaemons) {
    base::asio::io_context context;
    PaperChain chain(context.get_executor());
    MemoryStore store;
    metrics::Registry registry;
    metrics::FollowSeries series(registry);
    const State state(series, store.clock);
    std::set<base::Duration> waits;
    for (int i = 0; i < 20; ++i) waits.insert(state.wait_before({}, 3));
    EXPECT_GT(waits.size(), 1u);
}

}  // namespace
}  // namespace receiptd::follow
