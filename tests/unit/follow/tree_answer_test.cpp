#include "follow/tree_answer.hpp"

#include "unit/follow/small_tree.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace receiptd::follow {
namespace {

rpc::TreeSource::Tree tree_of(std::size_t bytes) {
    rpc::TreeSource::Tree tree;
    tree.status.document = std::make_unique<chain::Document>(std::string(bytes, ' '));
    return tree;
}

constexpr std::size_t kMost = 1 << 20;

TEST(RoomForAnswers, IsSharedByLargeOnes) {
    AnswerRoom room(kMost);
    auto first = room.keep(tree_of(kMost / 2));
    ASSERT_TRUE(first);
    EXPECT_FALSE(room.keep(tree_of(kMost / 2 + 1)));
    const auto second = room.keep(tree_of(kMost / 2));
    EXPECT_TRUE(second);
    EXPECT_FALSE(room.keep(tree_of(AnswerRoom::kSmall + 1)));
    auto copy = std::exchange(first, nullptr);
    EXPECT_FALSE(room.keep(tree_of(kMost / 2))) << "somebody works with a copy of it";
    copy.reset();
    EXPECT_TRUE(room.keep(tree_of(kMost / 2)));
}

TEST(RoomForAnswers, IsThereForOneOfAnySizeAndForAllSmallOnes) {
    AnswerRoom room(kMost);
    const auto huge = room.keep(tree_of(10 * kMost));
    ASSERT_TRUE(huge);
    EXPECT_EQ(huge->status.document->json().size(), 10 * kMost);
    EXPECT_TRUE(room.keep(tree_of(AnswerRoom::kSmall)));
    EXPECT_FALSE(room.keep(tree_of(AnswerRoom::kSmall + 1)));
}

TEST(TreeAnswers, KeepWhatTheLoopNeedsOfThem) {
    auto tree = tree_with(body("second"));
    tree.host = "one";
    tree.status.value.receipts_outcome[0].block_hash = "A";
    tree.status.value.receipts_outcome.push_back(tree.status.value.receipts_outcome[0]);
    auto answer = read_answer(std::make_shared<const rpc::TreeSource::Tree>(std::move(tree)));
    EXPECT_EQ(answer.host, "one");
    EXPECT_EQ(answer.outcomes, 2u);
    EXPECT_EQ(answer.executed_in, rpc::BlockHashes{"A"});
    EXPECT_TRUE(answer.waits.moves);
    answer.tree.reset();
    EXPECT_TRUE(all_final(answer, {{"A", {}}, {"B", {}}}));
    EXPECT_FALSE(all_final(answer, {{"B", {}}}));
    EXPECT_TRUE(rests_on(answer, {"A", "C"}));
    EXPECT_FALSE(rests_on(answer, {"C"}));
}

}  // namespace
}  // namespace receiptd::follow
