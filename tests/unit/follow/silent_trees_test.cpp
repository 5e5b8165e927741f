#include "follow/silent_trees.hpp"

#include "metrics/registry.hpp"
#include "support/await.hpp"
#include "unit/follow/fakes.hpp"
#include "unit/follow/memory_store.hpp"

#include <gtest/gtest.h>

namespace receiptd::follow {
namespace {

using base::HeightRange;
using base::HeightSet;
using test::await;

class OneHost final : public rpc::TreeSource {
public:
    base::Task<TreeResult> tree(Query query) override {
        asked.push_back(query.tx_hash);
        co_return answer();
    }
    base::Task<base::Result<chain::BlockRef, rpc::Unavailable>> final_block(std::string, chain::BlockHeight,
                                                                            rpc::Priority) override {
        co_return rpc::Unavailable{};
    }
    void forget_blocks(const HeightSet&) override {}
    base::Task<std::optional<bool>> holds_blocks(HeightRange, rpc::Priority) override {
        co_return std::nullopt;
    }
    base::Task<std::optional<chain::ShardLayout>> shard_layout(chain::BlockHeight,
                                                               std::optional<ShardWitness>,
                                                               rpc::Priority) override {
        co_return std::nullopt;
    }

    std::function<TreeResult()> answer = [] { return rpc::Unavailable{"timeout", "on paper"}; };
    std::vector<std::string> asked;
};

class Silent : public ::testing::Test {
protected:
    void stored(HeightSet covered) {
        storage::Coverage coverage;
        coverage.covered = std::move(covered);
        state_.heights.load(std::move(coverage), {}, std::nullopt);
    }
    void live() {
        trees_.emplace(io_.get_executor(), cpu_, host_, store_, state_, [this] { ++woken_; });
    }
    std::vector<HeightRange> look() {
        store_.looked_at_for_silent.clear();
        if (!trees_) live();
        await(trees_->look());
        return store_.looked_at_for_silent;
    }
    void one_at(base::Height height) {
        storage::PendingTree tree;
        tree.tx_hash = "T";
        tree.included_in.height = height;
        store_.silent = {tree};
    }
    void host_tells(bool complete) {
        host_.answer = [complete] {
            rpc::TreeSource::Tree tree;
            tree.complete = complete;
            tree.status.value.receipts_outcome.resize(2);
            return tree;
        };
    }
    using Placed = std::vector<std::pair<std::size_t, std::string>>;
    Placed& placed() { return store_.placed_silent; }

    base::asio::io_context io_;
    base::asio::thread_pool cpu_{1};
    OneHost host_;
    testing::MemoryStore store_;
    metrics::Registry registry_;
    metrics::FollowSeries series_{registry_};
    State state_{series_, store_.clock};
    unsigned woken_ = 0;
    std::optional<SilentTrees> trees_;
};

using Ranges = std::vector<HeightRange>;

TEST_F(Silent, AreLookedForOnceBelowFiftyStoredBlocks) {
    stored(HeightSet({100, 149}));
    EXPECT_EQ(look(), Ranges());
    stored(HeightSet({100, 160}));
    EXPECT_FALSE(trees_->done({100, 160}));
    EXPECT_TRUE(trees_->done({111, 160}));
    EXPECT_EQ(look(), (Ranges{{100, 110}}));
    EXPECT_TRUE(trees_->done({100, 160}));
    EXPECT_EQ(look(), Ranges());
    stored(HeightSet({100, 161}));
    EXPECT_EQ(look(), (Ranges{{111, 111}}));
}

TEST_F(Silent, AreLookedForAgainWhenYieldsHaveTimedOutAndWhenNothingIsLeftToWaitFor) {
    stored(HeightSet({100, 151}));
    EXPECT_EQ(look(), (Ranges{{100, 101}}));
    stored(HeightSet({100, 351}));
    EXPECT_EQ(look(), (Ranges{{100, 101}, {102, 201}, {202, 301}}));
    stored(HeightSet({100, 352}));
    EXPECT_EQ(look(), (Ranges{{102, 102}, {302, 302}}));
}

TEST_F(Silent, AreNotLookedForBelowAGapThatMayHaveTheRest) {
    HeightSet covered({100, 160});
    covered.add({170, 200});
    stored(covered);
    EXPECT_EQ(look(), (Ranges{{100, 110}}));
}

TEST_F(Silent, ThatAHostKnowsWholeArePendingIfBlocksLackSomeOfThem) {
    one_at(100);
    host_tells(true);
    stored(HeightSet({100, 150}));
    look();
    EXPECT_EQ(placed(), (Placed{{2, ""}}));
    EXPECT_EQ(woken_, 1u);
}

TEST_F(Silent, ThatTakeTheirTimeAreLeftAloneUntilNothingIsLeftToWaitFor) {
    one_at(100);
    host_tells(false);
    stored(HeightSet({100, 150}));
    look();
    stored(HeightSet({100, 350}));
    look();
    EXPECT_EQ(host_.asked.size(), 2u);
    EXPECT_TRUE(placed().empty());
    stored(HeightSet({100, 1'300}));
    look();
    EXPECT_EQ(placed(), (Placed{{2, "no host tells the rest of it either"}}));
}

TEST_F(Silent, OfWhichHostsGiveAnotherExecutionArePendingInTheEnd) {
    one_at(100);
    host_.answer = [] {
        rpc::TreeSource::Tree tree;
        tree.complete = true;
        tree.status.value.receipts_outcome.resize(2);
        tree.status.value.transaction_outcome.emplace().block_hash = "another block";
        return tree;
    };
    stored(HeightSet({100, 350}));
    look();
    EXPECT_TRUE(placed().empty());
    stored(HeightSet({100, 1'300}));
    look();
    EXPECT_EQ(placed(), (Placed{{0, "hosts give another execution of this hash, in another block"}}));
}

TEST_F(Silent, ThatNoHostKnowsArePendingWithTheReason) {
    one_at(100);
    host_.answer = [] { return rpc::TreeSource::Unknown{"on paper"}; };
    stored(HeightSet({100, 150}));
    look();
    EXPECT_EQ(placed(), (Placed{{0, "unknown to all hosts: on paper"}}));
}

TEST_F(Silent, AreAskedForLaterWhereNoHostAnswers) {
    one_at(100);
    stored(HeightSet({100, 150}));
    look();
    EXPECT_TRUE(placed().empty());
    stored(HeightSet({100, 1'300}));
    EXPECT_TRUE(trees_->done({100, 1'300})) << "no run waits for hosts that do not answer";
    look();
    EXPECT_EQ(placed(), (Placed{{0, "timeout: on paper"}}));
}

TEST_F(Silent, AreLeftAloneWhileRowsOfTheirBlocksAreReplaced) {
    store_.to_replace = HeightSet({1'400, 1'449});
    stored(HeightSet({100, 1'500}));
    EXPECT_EQ(look(), (Ranges{{100, 199}, {1'450, 1'450}}));
    EXPECT_TRUE(trees_->done({200, 1'449})) << "no run waits for another process";
    store_.to_replace = {};
    EXPECT_EQ(look().front(), (HeightRange{200, 299}));
}

TEST_F(Silent, AreLookedForAgainWhereRowsWereLost) {
    stored(HeightSet({100, 160}));
    look();
    trees_->forget(HeightSet({105, 105}));
    EXPECT_EQ(look(), (Ranges{{105, 105}}));
}

TEST_F(Silent, AreLookedForAgainWhereRowsWereLostMeanwhile) {
    one_at(100);
    bool lost = false;
    host_.answer = [&] {
        if (!std::exchange(lost, true)) trees_->forget(HeightSet({104, 105}));
        return rpc::Unavailable{"timeout", "on paper"};
    };
    stored(HeightSet({100, 160}));
    EXPECT_EQ(look(), (Ranges{{100, 110}, {104, 105}}));
}

TEST_F(Silent, OfAnEarlierLifeAreLookedForAtTheEndOnly) {
    stored(HeightSet({100, 9'950}));
    EXPECT_EQ(look().front().from, 9'950u - 2 * kSilence.back() + 1);
    stored(HeightSet({50, 9'950}));
    EXPECT_EQ(look(), (Ranges{{50, 99}})) << "stored in this life";
}

}  // namespace
}  // namespace receiptd::follow
