// A judged tree as text for a terminal.
#include "chain/tree/text.hpp"

#include "tree_story.hpp"

#include <gtest/gtest.h>

namespace receiptd::chain {
namespace {

using testing::Story;

std::string text_of(const Story& story) {
    const TransactionFacts transaction{"TX", "alice", "app", 0, {}};
    return render_tree("TX", transaction, story.judge());
}

TEST(TreeText, MarksTheFailingBranchAndTellsItsError) {
    Story story;
    story.receipt("r0", "alice", "app").method_name = "buy";
    story.ok("r0", {"call", "other"});
    story.receipt("call", "app", "token").method_name = "move";
    story.fails("call");
    story.receipt("other", "app", "log");
    story.ok("other");
    EXPECT_EQ(text_of(story), R"(! transaction TX  alice → app @101
! └─ initial alice → app  buy  [success_value] @102  r0
✗    ├─ detached app → token  move  [failure] @103  call
✗    │     contract_panic: no
     └─ detached app → log  [success_value] @104  other
  3 receipts, 1 failed
)");
}

TEST(TreeText, TellsWhatIsPendingAndWhatNobodyMade) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.ok("r0", {"later"});
    story.receipt("stray", "app", "x");
    story.ok("stray", {"child"});
    story.receipt("child", "x", "y");
    story.ok("child");
    EXPECT_EQ(text_of(story), R"(  transaction TX  alice → app @101
  └─ initial alice → app  [success_value] @102  r0
     └─ receipt   [pending]  later
  (which receipt made these is not known)
  └─ receipt app → x  [success_value] @103  stray
     └─ detached x → y  [success_value] @104  child
  4 receipts, 0 failed, 1 pending
)");
}

TEST(TreeText, NamesTheParentOfABranchWhoseParentIsMissing) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.ok("r0");
    story.receipt("stray", "app", "x").parent_receipt_id = "missing";
    story.ok("stray", {"child"});
    story.receipt("child", "x", "y").parent_receipt_id = "stray";
    story.ok("child");
    EXPECT_EQ(text_of(story), R"(  transaction TX  alice → app @101
  └─ initial alice → app  [success_value] @102  r0
  (made by receipt missing, of which no more is known)
  └─ receipt app → x  [success_value] @103  stray
     └─ detached x → y  [success_value] @104  child
  3 receipts, 0 failed
)");
}

TEST(TreeText, KeepsAHostileMessageOnItsLine) {
    Story story;
    story.receipt("r0", "alice", "app").method_name = "a\nb";
    OutcomeFacts outcome;
    outcome.id = "r0";
    outcome.status = StatusKind::failure;
    outcome.failure = {"contract_panic", "one\ntwo\x1b[2J"};
    story.parts.emplace_back(outcome);
    EXPECT_NE(text_of(story).find("contract_panic: one two [2J\n"), std::string::npos);
    EXPECT_NE(text_of(story).find("a b"), std::string::npos);
}

}  // namespace
}  // namespace receiptd::chain
