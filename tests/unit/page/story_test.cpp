#include "page/story.hpp"

#include "page/transaction.hpp"
#include "unit/chain/tree_story.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::page {
namespace {

using chain::testing::Story;
using ::testing::HasSubstr;
using ::testing::Not;

watch::TransactionView view_of(const Story& parts) {
    storage::StoredTree stored;
    for (const auto& part : parts.parts) {
        if (const auto* transaction = std::get_if<chain::TransactionFacts>(&part))
            stored.transaction = *transaction;
        if (const auto* receipt = std::get_if<chain::ReceiptFacts>(&part))
            stored.receipts.push_back(*receipt);
        if (const auto* outcome = std::get_if<chain::OutcomeFacts>(&part))
            stored.outcomes.push_back(*outcome);
    }
    return watch::transaction_view({"TX", std::nullopt, {}, stored, {}});
}

std::string label_of(const watch::TransactionView& view) { return story_of(view)["badge"]["label"]; }

TEST(StoryBadge, TellsTheStageThatTheTreeProves) {
    Story parts;
    parts.receipt("r0", "alice", "app");
    EXPECT_EQ(label_of(view_of(parts)), "Included") << "its first receipt has not run";
    parts.ok("r0", {"r1"});
    parts.receipt("r1", "app", "app");
    EXPECT_EQ(label_of(view_of(parts)), "Executing");
}

TEST(StoryBadge, TellsAVerdictAsSoonAsItIsCertain) {
    Story parts;
    parts.receipt("r0", "alice", "app");
    parts.fails("r0", {"refund"});
    parts.receipt("refund", "system", "alice");
    EXPECT_EQ(label_of(view_of(parts)), "Failed");
    EXPECT_EQ(story_of(view_of(parts))["badge"]["tone"], "bad");
}

TEST(StoryBadge, TellsTheVerdictOfAWatchWhoseTreeIsForgotten) {
    watch::TransactionView view;
    view.watch.emplace();
    view.watch->state.stage = chain::Stage::final;
    view.watch->state.verdict = chain::Verdict::callback_failed;
    EXPECT_EQ(label_of(view), "Callback failed");
    EXPECT_EQ(story_of(view)["headline"], story_of(view)["badge"]["means"]);
}

TEST(StoryFacts, OfAPrunedTreeSayWhatItsResultTells) {
    watch::StoredTransaction stored;
    stored.tx_hash = "TX";
    auto& kept = stored.kept.result.emplace();
    stored.kept.pruned_before = base::WallTime(std::chrono::seconds(1'767'225'600));
    kept.tree.included = kept.tree.completed = kept.tree.settled = true;
    kept.tree.verdict = chain::Verdict::callback_failed;
    kept.tree.failed_receipts = 1;
    kept.receipts = 5;
    kept.error_class = "contract_panic";
    const auto view = watch::transaction_view(std::move(stored));
    EXPECT_EQ(label_of(view), "Callback failed");
    const auto facts = story_of(view)["facts"].dump();
    EXPECT_THAT(facts, HasSubstr("5 receipts, 1 of them failed, are not kept: blocks before "
                                 "2026-01-01T00:00:00.000Z were pruned"));
}

TEST(StoryBadge, TellsHowAWatchWithoutATreeEnded) {
    watch::TransactionView view;
    view.watch.emplace();
    view.watch->state.stage = chain::Stage::expired;
    EXPECT_EQ(label_of(view), "Expired");
}

TEST(StoryBadge, SaysThatAPartOfATransactionIsNoMoreThanThat) {
    Story parts;
    parts.parts.clear();
    parts.receipt("r5", "app", "app");
    parts.ok("r5");
    EXPECT_EQ(label_of(view_of(parts)), "Only a part");
}

TEST(StoryFacts, GiveEachSentenceOfTheMoneyALineOfItsOwn) {
    Story parts;
    parts.receipt("r0", "alice", "app");
    parts.fails("r0", {"back"});
    parts.receipt("back", "system", "alice").deposit = 100;
    parts.ok("back");
    const auto facts = story_of(view_of(parts))["facts"];
    const auto money = std::find_if(facts.begin(), facts.end(),
                                    [](const auto& fact) { return fact["name"] == "The money"; });
    ASSERT_NE(money, facts.end());
    EXPECT_EQ((*money)["lines"].size(), 2u);
    EXPECT_EQ((*money)["lines"][0]["text"], "Nothing was moved: what the first receipt did was undone.");
}

TEST(TransactionPage, ListsWhatNoHostTellsOfItsHash) {
    Story parts;
    parts.receipt("r0", "alice", "app");
    parts.ok("r0");
    auto view = view_of(parts);
    view.untold = {{chain::ExecutedAt{110, 7}, "hosts give another <execution>"}};
    const auto html = render("transaction", transaction_values(view, {}, {}));
    EXPECT_THAT(html, HasSubstr("<summary>Block 110: no verdict yet</summary>"));
    EXPECT_THAT(html, HasSubstr("hosts give another &lt;execution&gt;"));
}

TEST(TransactionPage, ListsTheOtherExecutionsOfItsHash) {
    Story parts;
    parts.receipt("r0", "alice", "app");
    parts.ok("r0");
    EXPECT_THAT(render("transaction", transaction_values(view_of(parts), {}, {})),
                Not(HasSubstr("In more than one block")));
    parts.returns("TX", "again0", {"again0"});
    parts.receipt("again0", "alice", "app");
    parts.fails("again0");
    const auto html = render("transaction", transaction_values(view_of(parts), {}, {}));
    EXPECT_THAT(html, HasSubstr("In more than one block"));
    EXPECT_THAT(html, HasSubstr("<summary>Block 103: failed</summary>"));
    EXPECT_THAT(html, HasSubstr("href=\"/tx/TX?receipt=again0\""));
    EXPECT_THAT(html, HasSubstr("id=\"receipt-r0\""));
    EXPECT_THAT(html, Not(HasSubstr("id=\"receipt-again0\"")));
}

}  // namespace
}  // namespace receiptd::page
