// A judged tree as text for a terminal.
#include "chain/tree/text.hpp"

#include "tree_story.hpp"

#include "chain/tree/paint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace receiptd::chain {
namespace {

using ::testing::HasSubstr;
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

Story broken() {
    Story story;
    auto& first = story.receipt("r0", "alice", "app");
    first.method_name = "buy";
    first.deposit = u128(5'000'000'000'000) * 1'000'000'000'000u;
    story.ok("r0", {"call"});
    story.receipt("call", "app", "token").method_name = "a_method_with_a_long_name";
    story.fails("call");
    return story;
}

std::string styled(const TreeStyle& style) {
    const TransactionFacts transaction{"TX", "alice", "app", 0, {}};
    return render_tree("TX", transaction, broken().judge(), style);
}

TEST(TreeText, TellsDepositGasAndSumsWhereDetailsAreAsked) {
    TreeStyle style;
    style.details = true;
    const auto text = styled(style);
    EXPECT_THAT(text, HasSubstr("[success_value] @102 +0.0 s  5 NEAR  < 0.01 Tgas  r0\n"));
    EXPECT_THAT(text, HasSubstr("[failure] @103 +0.0 s  < 0.01 Tgas  ← root cause  call\n"));
    EXPECT_THAT(
        text, HasSubstr("  2 receipts, 1 failed, < 0.01 Tgas burnt, 0 NEAR in fees, settled after 0.0 s\n"));
}

TEST(TreeText, NoLineIsWiderThanTheTerminalAndNoErrorIsCut) {
    TreeStyle style;
    for (style.width = 40; style.width < 90; ++style.width) {
        std::istringstream lines(styled(style));
        for (std::string line; std::getline(lines, line);) EXPECT_LE(columns_of(line), style.width) << line;
    }
    style.width = 40;
    EXPECT_THAT(styled(style), HasSubstr("a_method_…\n"));
    EXPECT_THAT(styled(style), HasSubstr("contract_panic: no\n"));
}

TEST(TreeText, ColoursEndWhereTheyBeganAndChangeNothingElse) {
    TreeStyle style;
    style.colour = true;
    auto text = styled(style);
    EXPECT_THAT(text, HasSubstr("\x1b[31m[failure]\x1b[0m"));
    for (const char* escape : {"\x1b[0m", "\x1b[2m", "\x1b[31m", "\x1b[32m", "\x1b[33m"})
        for (auto at = text.find(escape); at != std::string::npos; at = text.find(escape))
            text.erase(at, std::string_view(escape).size());
    EXPECT_EQ(text, styled({}));
}

TEST(TreeText, NothingThatAContractSaysReachesTheTerminal) {
    Story story;
    story.receipt("r0", "alice", "app").method_name = "\x1b[2Jgone\n";
    story.ok("r0");
    EXPECT_EQ(text_of(story).find('\x1b'), std::string::npos);
}

TEST(PaintedLines, AreFoldedAtBlanksAndCountCharactersNotBytes) {
    EXPECT_EQ(first_line_of("one two three", 8), "one two");
    EXPECT_EQ(first_line_of("onetwothree", 4), "onet");
    EXPECT_EQ(first_line_of("→→→", 2), "→→");
    EXPECT_EQ(first_line_of("abc", 0), "a");
    EXPECT_EQ(columns_of("→ü."), 3u);
    EXPECT_EQ(PaintedLine(4, false).add("→→").add("→→→").text(), "→→→…\n");
    EXPECT_EQ(PaintedLine(4, false).add("abcd").add("e").text(), "abc…\n")
        << "there is no room for another one";
}

}  // namespace
}  // namespace receiptd::chain
