#include "follow/tree_answer.hpp"

#include "unit/follow/small_tree.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace receiptd::follow {
namespace {

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
