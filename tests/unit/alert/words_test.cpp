#include "alert/words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::alert {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Words, SummaryIsOneSentenceForEveryKind) {
    chain::Finding finding;
    finding.tx_hash = "TX";
    finding.signer_id = "alice.near";
    finding.failure.error_class = "superseded";
    const std::pair<const char*, const char*> cases[] = {
        {"failed_transaction", "transaction TX of alice.near failed: superseded"},
        {"rejected", "transaction TX of alice.near was refused: superseded"},
        {"forwarding_failed", "no host took transaction TX of alice.near: superseded"},
        {"dropped", "transaction TX of alice.near was dropped: superseded"},
        {"expired", "transaction TX of alice.near expired: superseded"},
        {"stuck", "transaction TX of alice.near is stuck: superseded"},
        {"unknown", "nothing was learned of transaction TX of alice.near: superseded"}};
    for (const auto& [kind, words] : cases) {
        finding.kind = kind;
        EXPECT_EQ(summary(finding), words);
    }
}

TEST(Words, OfTokensThatCameBackTellHowMany) {
    chain::Finding finding;
    finding.kind = "tokens_returned";
    finding.contract_id = "token.near";
    finding.signer_id = "alice.near";
    finding.flow = chain::TokenFlow{60, 40};
    EXPECT_EQ(summary(finding), "token.near gave tokens back that alice.near sent: 40 returned, 60 kept");
}

TEST(Words, LongBranchLosesItsMiddle) {
    chain::Judgement tree;
    for (int i = 0; i < 5'000; ++i) {
        chain::JudgedReceipt receipt;
        receipt.receipt_id = "r" + std::to_string(i);
        if (i > 0) receipt.parent_receipt_id = "r" + std::to_string(i - 1);
        receipt.receiver_id = "c" + std::to_string(i);
        tree.receipts.push_back(receipt);
    }
    const auto lines = branch_in_words(tree, "r4999");
    ASSERT_EQ(lines.size(), 41U);
    EXPECT_THAT(lines.front(), HasSubstr("c0"));
    EXPECT_EQ(lines[20], "… 4960 receipts more …");
    EXPECT_THAT(lines.back(), HasSubstr("c4999"));
    EXPECT_THAT(branch_in_words(tree, "elsewhere"), ElementsAre());
}

TEST(Words, ACircleIsNoBranch) {
    chain::Judgement tree;
    tree.receipts.resize(2);
    tree.receipts[0].receipt_id = tree.receipts[1].parent_receipt_id = "a";
    tree.receipts[1].receipt_id = tree.receipts[0].parent_receipt_id = "b";
    EXPECT_THAT(branch_in_words(tree, "a"), ElementsAre());
}

TEST(Words, OfABurntRefundTellHowMuch) {
    chain::Finding finding;
    finding.kind = "burnt_tokens";
    finding.contract_id = "gone.near";
    finding.burnt = chain::u128{1'500'000'000'000} * 1'000'000'000'000;
    EXPECT_EQ(summary(finding), "refund to gone.near was burnt: 1.5 NEAR");
}

}  // namespace
}  // namespace receiptd::alert
