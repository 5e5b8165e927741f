// Trees of which only a part is stored, or kept in memory.
#include "chain/tree/live_trees.hpp"

#include "tree_story.hpp"

#include <gtest/gtest.h>

#include <map>

namespace receiptd::chain {
namespace {

// T1 of others fails in a receipt in scope, and is given up before the receipt that awaits it.
TEST(LiveTrees, OthersTreesThatAreGivenUpAreLateAsTheRestOfThemMayBeOutOfScope) {
    LiveTrees live(1);
    for (base::Height height = 1; height <= 2; ++height) {
        const auto hash = "T" + std::to_string(height);
        SignedTransaction transaction;
        transaction.hash = hash;
        Outcome conversion;
        conversion.receipt_ids = {"r"};
        live.transaction(transaction, conversion, {height, 0}, false);
        Receipt receipt;
        receipt.output_data_receivers = {{"d", "app"}};
        Outcome executed;
        executed.id = "r";
        executed.receipt_ids = {"callback"};
        executed.status.kind = StatusKind::failure;
        const bool in_scope = height == 1;
        live.executed(hash, {"", receipt, executed, Role::promise, OnResultChain::no, in_scope}, {height, 0});
        live.end_of_block();
    }
    EXPECT_TRUE(live.take_late().empty());
    EXPECT_EQ(live.bound(), 2u);
    EXPECT_EQ(live.take_late(), std::vector<std::string>{"T1"}) << "nothing of T2 is in scope";
}

// One receipt of another's tree is stored, `left`: it fails, and `right` awaits it.
std::map<std::string, std::optional<bool>> found_in_part(bool with_awaiter, bool last_look) {
    testing::Story story;
    story.receipt("left", "app", "token", {}, {"d"});
    story.fails("left");
    story.receipt("alone", "app", "token");
    story.fails("alone");
    if (with_awaiter) {
        story.receipt("right", "app", "app", {"d"});
        story.ok("right");
        story.logs();
    }
    ReceiptTree tree("TX");
    for (const auto& part : story.parts) {
        if (const auto* receipt = std::get_if<ReceiptFacts>(&part)) tree.add(*receipt);
        const auto* outcome = std::get_if<OutcomeFacts>(&part);
        if (outcome != nullptr && outcome->id != "TX") tree.add(*outcome);
    }
    std::map<std::string, std::optional<bool>> handled;
    for (const auto& finding : findings_in_part(tree.judge(), last_look)) {
        EXPECT_EQ(finding.tx_hash, "TX");
        EXPECT_EQ(finding.signer_id, "alice");
        handled[finding.receipt_id] = finding.handled;
    }
    return handled;
}

TEST(TreesInPart, TellFailuresThatAreDecidedAndAtLastThoseThatCannotBe) {
    using Handled = std::map<std::string, std::optional<bool>>;
    EXPECT_EQ(found_in_part(false, false), (Handled{{"alone", false}}));
    EXPECT_EQ(found_in_part(false, true), (Handled{{"alone", false}, {"left", std::nullopt}}));
    EXPECT_EQ(found_in_part(true, false), (Handled{{"alone", false}, {"left", true}}));
}

}  // namespace
}  // namespace receiptd::chain
