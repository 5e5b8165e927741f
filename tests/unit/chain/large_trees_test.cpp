// Trees as large as a host may tell them, ten times what any protocol allows: they are judged in one walk. A
// loop over all receipts for each of them would take minutes here.
#include "chain/tree/live_trees.hpp"

#include "chain_builder.hpp"
#include "tree_story.hpp"

#include <gtest/gtest.h>

namespace receiptd::chain {
namespace {

using testing::action_receipt;
using testing::ChainBuilder;
using testing::executed;
using testing::failed;
using testing::Story;
using testing::transaction;

constexpr int kMany = 100'000;

std::string name(const char* kind, int i) { return kind + std::to_string(i); }

// r0 makes that many receipts with data, and one that awaits all of it.
Story many_awaited(bool fail) {
    Story story;
    story.receipt("r0", "alice", "app");
    std::vector<std::string> children;
    std::vector<std::string> data;
    for (int i = 0; i < kMany; ++i) {
        children.push_back(name("made", i));
        data.push_back(name("d", i));
        story.receipt(children.back(), "app", "dex", {}, {data.back()});
        fail ? story.fails(children.back()) : story.ok(children.back());
    }
    children.push_back("all");
    story.receipt("all", "app", "app", data);
    story.returns("r0", "all", children);
    return story;
}

TEST(LargeTrees, OneReceiptAwaitsVeryManyOthers) {
    auto story = many_awaited(false);
    const auto open = story.judge();
    EXPECT_EQ(testing::find(open, "all").awaits.size(), kMany);
    EXPECT_EQ(testing::find(open, "all").missing_data_ids.size(), kMany);
    story.ok("all");
    EXPECT_EQ(story.judge().verdict, Verdict::succeeded);
}

TEST(LargeTrees, OneReceiptHandlesVeryManyFailures) {
    auto story = many_awaited(true);
    story.ok("all");
    const auto tree = story.judge();
    EXPECT_EQ(tree.verdict, Verdict::succeeded_with_handled_failure);
    EXPECT_EQ(tree.failures.size(), kMany);
    EXPECT_EQ(tree.failures.back().finding.handled_by, std::vector<std::string>{"all"});
}

// Each of them gives tokens back, and all failures have one data id, as no honest chain has it.
TEST(LargeTrees, VeryManyCallbacksOfTokensAwaitVeryManyFailures) {
    Story story;
    story.receipt("r0", "alice", "app");
    std::vector<std::string> children;
    for (int i = 0; i < kMany; ++i) {
        children.push_back(name("failing", i));
        story.receipt(children.back(), "app", "dex", {}, {"d"});
        story.fails(children.back());
    }
    for (int i = 0; i < kMany / 10; ++i) {
        children.push_back(name("settle", i));
        auto& settle = story.receipt(children.back(), "app", "app", {"d"});
        settle.method_name = "ft_resolve_transfer";
        settle.token_args = R"({"amount":"100"})";
        story.ok(children.back());
        std::get<OutcomeFacts>(story.parts.back()).value = R"("60")";
    }
    story.ok("r0", children);
    const auto tree = story.judge();
    EXPECT_EQ(tree.failures.size(), kMany);
    EXPECT_EQ(tree.failures.front().finding.effect, Effect::refunded_in_part);
}

TEST(LargeTrees, VeryManyFailuresAndAsManyCallbacksGoByInOneBlock) {
    ChainBuilder texts;
    LiveTrees live;
    const auto sent = transaction("TX", "alice.near", "app.near", "A");
    live.transaction(sent.transaction, *sent.outcome, {10, 0});
    auto first = executed(action_receipt("A", "alice.near", "app.near", "alice.near"));
    std::vector<ExecutedReceipt> others;
    for (int i = 0; i < 2 * kMany; ++i) {
        const auto id = texts.own(name("r", i));
        first.outcome.receipt_ids.push_back(id);
        others.push_back(executed(action_receipt(id, "app.near", "app.near", "alice.near")));
        const auto data_id = texts.own(name("d", i % kMany));
        if (i < kMany) {
            others.back().receipt.output_data_receivers.push_back({data_id, "app.near"});
            others.back().outcome = failed(others.back().outcome);
        } else {
            others.back().receipt.input_data_ids.push_back(data_id);
        }
    }
    live.executed("TX", {"", first.receipt, first.outcome, Role::initial}, {11, 0});
    for (const auto& each : others) {
        const auto role = each.receipt.input_data_ids.empty() ? Role::promise : Role::callback;
        live.executed("TX", {"A", each.receipt, each.outcome, role}, {11, 0});
    }
    const auto decided = live.end_of_block();
    EXPECT_EQ(decided.findings.size(), kMany);
    ASSERT_EQ(decided.results.size(), 1u);
    EXPECT_EQ(decided.results[0].verdict, Verdict::succeeded_with_handled_failure);
}

}  // namespace
}  // namespace receiptd::chain
