// Stored heights are read again: for accounts that they were stored without, or to be replaced.
#include "follower_fixture.hpp"

#include "chain/tree/facts.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <vector>

namespace receiptd::follow {
namespace {

using base::Height;
using base::HeightRange;
using base::HeightSet;

// One account beside a database in memory.
class AccountInMemory final : public storage::AccountStore {
public:
    explicit AccountInMemory(testing::MemoryStore& store) : store_(store) {}

    base::Task<storage::LackingAccounts> lacking(std::vector<std::string> names) override {
        storage::LackingAccounts lacking;
        lacking.heights = store_.coverage.covered.within(not_whole);
        lacking.reach_above = not_whole.last().value_or(0) > store_.coverage.covered.last().value_or(0);
        lacking.since = since;
        for (auto& name : names)
            if (name != "a.near") lacking.not_followed.push_back(std::move(name));
        co_return lacking;
    }
    base::Task<std::vector<chain::BlockRef>> stored_blocks(HeightRange heights, unsigned limit) override {
        std::vector<chain::BlockRef> blocks;
        for (const auto& [height, block] : store_.blocks)
            if (heights.contains(height) && blocks.size() < limit) blocks.push_back(block);
        co_return blocks;
    }
    base::Task<bool> commit_rows_of(std::vector<std::string>, chain::RowBatch batch,
                                    HeightSet whole) override {
        for (const auto& block : batch.facts.blocks) filled.push_back(block.height);
        not_whole.subtract(whole);
        co_return true;
    }
    base::Task<void> whole_at(std::vector<std::string>, HeightSet heights) override {
        co_return not_whole.subtract(heights);
    }
    base::Task<bool> settle_above(std::vector<std::string>, Height last, bool whole_trees) override {
        if (last + 1 < since || (!whole_trees && last < trees_end_at)) co_return false;
        not_whole.subtract({last + 1, base::kTopHeight});
        co_return true;
    }

    HeightSet not_whole;
    Height since = 0;
    Height trees_end_at = 0;
    std::vector<Height> filled;

private:
    testing::MemoryStore& store_;
};

// Stored heights that are replaced, beside a database in memory.
class ReindexInMemory final : public storage::ReindexStore {
public:
    explicit ReindexInMemory(testing::MemoryStore& store) : store_(store) {}

    base::Task<HeightSet> to_replace(std::int64_t) override {
        co_return store_.coverage.covered.within(left);
    }
    base::Task<bool> replace_rows(std::int64_t, chain::RowBatch batch) override {
        for (const auto& block : batch.facts.blocks) replaced.push_back(block.height);
        left.subtract(batch.facts.covered);
        co_return true;
    }
    base::Task<void> fetch_lacking(HeightRange) override { co_return; }
    base::Task<void> judge_again(HeightRange included_in) override {
        judged = included_in;
        co_return;
    }

    HeightSet left;
    std::vector<Height> replaced;
    std::optional<HeightRange> judged;

private:
    testing::MemoryStore& store_;
};

// Heights 100 to 130 are stored; from 120 on with the account.
class AccountFilled : public testing::FollowerTest {
protected:
    void SetUp() override {
        chain.add_range(100, 130);
        follow(100, 130);
        chain.fetches.clear();
        account.since = 120;
        account.not_whole.add({100, 119 + chain::kSeamReach});
    }
    Follower::End fill(std::optional<HeightRange> range = std::nullopt, const std::string& name = "a.near") {
        testing::Daemon daemon(context, chain, store, config::Start(config::StartAtHead{}));
        return daemon.fill(account, replacing, {name}, range);
    }
    static std::vector<Height> heights(Height from, Height to) {
        std::vector<Height> all;
        for (auto height = from; height <= to; ++height) all.push_back(height);
        return all;
    }

    AccountInMemory account{store};
    ReindexInMemory replacing{store};
};

TEST_F(AccountFilled, AtEachHeightThatLacksItAndThenItIsWholeAbove) {
    const auto end = fill();
    EXPECT_TRUE(end.missing.empty());
    EXPECT_FALSE(end.fill_goes_on);
    EXPECT_EQ(account.filled, heights(100, 130));
    EXPECT_TRUE(account.not_whole.empty());
    EXPECT_TRUE(std::all_of(chain.fetches.begin(), chain.fetches.end(),
                            [](const auto& each) { return each.second == 1; }));
    EXPECT_TRUE(store.backfills.at(1).finished);
}

TEST_F(AccountFilled, NotBeforeTheTreesThatCrossAreOver) {
    account.trees_end_at = 140;
    EXPECT_TRUE(fill().fill_goes_on);
    EXPECT_EQ(account.not_whole, HeightSet({131, 119 + chain::kSeamReach}));
    EXPECT_FALSE(store.backfills.at(1).finished) << "a daemon goes on with it";
}

TEST_F(AccountFilled, FromWhereAnEarlierAttemptCameTo) {
    account.not_whole.subtract({100, 109});
    fill();
    EXPECT_EQ(account.filled, heights(110, 130));
    EXPECT_EQ(chain.fetches.begin()->first, 100u) << "receipts on their way belong to trees below";
}

TEST_F(AccountFilled, NotWhereNoHostGivesTheStoredBlock) {
    chain.fail(110, 1'000);
    EXPECT_EQ(fill().missing, HeightSet({110, 110}));
    EXPECT_EQ(account.not_whole, HeightSet({110, 119 + chain::kSeamReach}))
        << "what of its trees goes on is not known";
    EXPECT_THAT(account.filled, ::testing::Not(::testing::Contains(110u)));
}

TEST_F(AccountFilled, NotFromAnotherBlock) {
    chain.lie({110, "other", testing::hash_of(109), 109, chain.time_of(110)}, 100);
    EXPECT_EQ(fill().missing, HeightSet({110, 110}));
}

TEST_F(AccountFilled, OverARangeOnly) {
    const auto end = fill(HeightRange{105, 109});
    EXPECT_FALSE(end.fill_goes_on);
    EXPECT_EQ(account.filled, heights(105, 109));
    HeightSet left({100, 104});
    left.add({110, 119 + chain::kSeamReach});
    EXPECT_EQ(account.not_whole, left);
}

TEST_F(AccountFilled, OnlyIfItIsFollowed) { EXPECT_THROW(fill(std::nullopt, "b.near"), std::runtime_error); }

// Heights 100 to 130 are stored, and 105 to 119 are to be replaced.
class HeightsReplaced : public AccountFilled {
protected:
    void SetUp() override {
        AccountFilled::SetUp();
        replacing.left.add({105, 119});
    }
    Follower::End reindex() {
        testing::Daemon daemon(context, chain, store, config::Start(config::StartAtHead{}));
        return daemon.reindex(account, replacing, {105, 119});
    }
};

TEST_F(HeightsReplaced, EachByOneRequestAndThenTheirTreesAreJudged) {
    EXPECT_TRUE(reindex().missing.empty());
    EXPECT_EQ(replacing.replaced, heights(105, 119));
    for (const auto height : heights(105, 119)) EXPECT_EQ(chain.fetches[height], 1u);
    EXPECT_EQ(chain.fetches.count(104), 0u);
    EXPECT_EQ(replacing.judged->to, 119u);
    EXPECT_TRUE(store.backfills.at(1).finished);
}

TEST_F(HeightsReplaced, FromWhereAnEarlierAttemptCameTo) {
    replacing.left.subtract({105, 109});
    reindex();
    EXPECT_EQ(replacing.replaced, heights(110, 119));
}

TEST_F(HeightsReplaced, NotWhereNoHostGivesTheStoredBlock) {
    chain.fail(107, 1'000);
    chain.lie({110, "other", testing::hash_of(109), 109, chain.time_of(110)}, 100);
    HeightSet missing({107, 107});
    missing.add({110, 110});
    EXPECT_EQ(reindex().missing, missing);
    EXPECT_EQ(replacing.left, missing);
}

TEST_F(HeightsReplaced, FromAnotherHostWhereOneTellsAnotherBlock) {
    chain.lie({110, "other", testing::hash_of(109), 109, chain.time_of(110)}, 3);
    EXPECT_TRUE(reindex().missing.empty());
    EXPECT_EQ(replacing.replaced, heights(105, 119));
}

TEST_F(HeightsReplaced, WithABlockThatIsMissingAmongTheStoredOnes) {
    store.blocks.erase(110);
    EXPECT_TRUE(reindex().missing.empty());
    EXPECT_EQ(replacing.replaced, heights(105, 119));
}

TEST_F(HeightsReplaced, ButForABlockOfWhichNobodyTellsTheHash) {
    store.blocks.erase(110);
    store.blocks.erase(111);
    EXPECT_EQ(reindex().missing, HeightSet({110, 110}));
}

}  // namespace
}  // namespace receiptd::follow
