// Whatever step fails, whoever comes after over the same store stores the same: nothing is lost, nothing
// twice.
#include "unit/follow/faulty.hpp"

namespace receiptd::follow {
namespace {

using namespace std::chrono_literals;
using test::Fault;
using testing::Daemon;
using testing::FaultySource;
using testing::FaultyStore;
using testing::MemoryStore;

// All that is to be the same.
struct Picture {
    base::HeightSet covered, wanted;
    std::vector<base::Height> blocks;
    std::map<std::string, std::string> receipts, findings;
    std::map<std::string, unsigned> told;
    std::set<std::string> complete;
    std::size_t unavailable = 0, pending = 0, unfinished_backfills = 0, seams = 0;

    explicit Picture(const MemoryStore& store)
        : covered(store.coverage.covered),
          wanted(store.coverage.wanted),
          receipts(store.receipts),
          findings(store.findings),
          told(store.told),
          complete(store.complete),
          unavailable(store.unavailable.size()),
          pending(store.pending.size()),
          seams(store.seams.size()) {
        for (const auto& [height, block] : store.blocks) blocks.push_back(height);
        for (const auto& [id, backfill] : store.backfills) unfinished_backfills += backfill.finished ? 0 : 1;
    }
};

void expect_same(const Picture& made, const Picture& undisturbed) {
    EXPECT_EQ(made.covered, undisturbed.covered);
    EXPECT_EQ(made.wanted, undisturbed.wanted);
    EXPECT_EQ(made.blocks, undisturbed.blocks);
    EXPECT_EQ(made.receipts, undisturbed.receipts);
    EXPECT_EQ(made.findings, undisturbed.findings);
    EXPECT_EQ(made.told, undisturbed.told);
    EXPECT_EQ(made.complete, undisturbed.complete);
    EXPECT_EQ(made.unavailable, 0u);
    EXPECT_EQ(made.pending, 0u);
    EXPECT_EQ(made.unfinished_backfills, 0u);
    EXPECT_EQ(made.seams, 0u) << "somebody closed them";
}

// Work that one daemon after another goes on with, until one has done it.
class FollowWork {
public:
    FollowWork(config::Source form, test::Steps& of_store, test::Steps& of_source)
        : form_(form),
          chain_(context_.get_executor(), form),
          faulty_store_(testing::stores_of(store_), of_store),
          faulty_source_(chain_, trees_, of_source, store_.clock) {}

    // A skipped height, a gap, and a backfill below the first height.
    Picture by_neardata() {
        chain_.add_range(100, 112);
        chain_.add_range(115, 124);
        chain_.add_failing("early", 105);
        chain_.add_failing("late", 118);
        chain_.fail(117, 1);
        // Only the later one is news.
        store_.coverage.made_at = base::WallTime(1h + 110s);
        persist(std::uint64_t{110}, [](Daemon& daemon) { daemon.follow(120); });
        persist(config::StartAtHead{}, [](Daemon& daemon) { daemon.backfill({100, 112}); });
        // A height that was not to be had twice has its third chance.
        for (int lives = 0; lives < 2; ++lives)
            persist(config::StartAtHead{}, [](Daemon& daemon) { daemon.follow(124); });
        return Picture(store_);
    }
    // A tree that is whole when it is asked for, and one that is not.
    Picture by_rpc() {
        chain_.add_range(100, 170);
        chain_.add_failing("T1", 102);
        chain_.add_failing("T2", 105);
        trees_.incomplete["T2"] = 1;
        persist(std::uint64_t{100}, [](Daemon& daemon) { daemon.follow(108); });
        persist(config::StartAtHead{}, [](Daemon& daemon) { daemon.follow(108); });
        return Picture(store_);
    }

private:
    template <class Task>
    void persist(config::Start start, const Task& task) {
        for (int lives = 0; lives < 3; ++lives) {
            Daemon daemon(context_, store_.clock, faulty_source_, chain_, &faulty_source_, faulty_store_,
                          testing::follow_settings(form_, start));
            bool done = true;
            try {
                task(daemon);
            } catch (const std::runtime_error&) {
                done = false;
            }
            ++store_.process;
            store_.clock.passed += 1min;
            if (done) return;
        }
        ADD_FAILURE() << "no daemon could do it";
    }

    config::Source form_;
    base::asio::io_context context_;
    testing::PaperChain chain_;
    testing::PaperTrees trees_{context_.get_executor(), chain_};
    MemoryStore store_;
    FaultyStore faulty_store_;
    FaultySource faulty_source_;
};

class FollowFaults : public ::testing::TestWithParam<Fault> {
protected:
    static bool of_source() { return GetParam() == Fault::unavailable || GetParam() == Fault::exception; }

    template <class Scenario>
    static unsigned sweep(config::Source form, const Scenario& scenario) {
        test::Steps none, nor_here;
        FollowWork quiet(form, none, nor_here);
        const auto undisturbed = (quiet.*scenario)();
        expect_same(undisturbed, undisturbed);
        return test::sweep(GetParam(), [&](test::Steps& steps) {
            test::Steps never;
            FollowWork work(form, of_source() ? never : steps, of_source() ? steps : never);
            expect_same((work.*scenario)(), undisturbed);
        });
    }
};

TEST_P(FollowFaults, OfNeardataLoseNothingAndDoubleNothing) {
    const auto swept = sweep(config::Source::neardata, &FollowWork::by_neardata);
    EXPECT_GE(swept, of_source() ? 25u : 60u);
}

TEST_P(FollowFaults, OfRpcLoseNothingAndDoubleNothing) {
    const auto swept = sweep(config::Source::rpc, &FollowWork::by_rpc);
    EXPECT_GE(swept, of_source() ? 12u : 60u);
}

INSTANTIATE_TEST_SUITE_P(Each, FollowFaults,
                         ::testing::Values(Fault::before, Fault::after, Fault::unavailable, Fault::exception),
                         [](const auto& fault) { return test::fault_name(fault.param); });

}  // namespace
}  // namespace receiptd::follow
