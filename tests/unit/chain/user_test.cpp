#include "chain/tree/user.hpp"

#include "chain/tree/facts.hpp"
#include "chain/tree/wallet.hpp"

#include "tree_story.hpp"

#include <gtest/gtest.h>

namespace receiptd::chain {
namespace {

constexpr Text kEthAccount = "0x4bae32fe351b5a8be431bd6ae44cd8e152b89266";

TEST(User, IsWhoeverSignedTheTransaction) {
    EXPECT_EQ(relayed_user("alice.near", "app.near", "", "swap"), "");
    EXPECT_EQ(relayed_user("alice.near", kEthAccount, "", "transfer"), "");
}

TEST(User, BehindARelayerIsWhoSignedTheDelegateAction) {
    EXPECT_EQ(relayed_user("relayer.near", "alice.near", "alice.near", "Delegate"), "alice.near");
    EXPECT_EQ(relayed_user("alice.near", "alice.near", "alice.near", "Delegate"), "") << "relays for itself";
}

TEST(User, OfAnEthWalletIsTheAccountWhoseOwnerSigned) {
    EXPECT_EQ(relayed_user("relayer.near", kEthAccount, "", kWalletMethod), kEthAccount);
    EXPECT_EQ(relayed_user(kEthAccount, kEthAccount, "", kWalletMethod), "")
        << "with a key of the account itself";
    EXPECT_EQ(relayed_user("relayer.near", "app.near", "", kWalletMethod), "");
}

TEST(User, IsToldByStoredActionsAsByThoseOfAHost) {
    SignedTransaction transaction;
    transaction.signer_id = "relayer.near";
    transaction.receiver_id = "alice.near";
    Action delegate;
    delegate.kind = ActionKind::delegate;
    delegate.name = "Delegate";
    delegate.delegate_sender_id = "alice.near";
    delegate.delegate_receiver_id = "app.near";
    transaction.actions = {delegate};
    EXPECT_EQ(relayed_user(transaction), "alice.near");
    EXPECT_EQ(transaction_facts(transaction).named_user(), "alice.near");
    TransactionFacts stored;
    stored.signer_id = "relayer.near";
    stored.receiver_id = "alice.near";
    stored.take(stored_action_facts(
        R"([{"Delegate":{"delegate_action":{"sender_id":"alice.near","receiver_id":"app.near","actions":[]}}}])"));
    EXPECT_EQ(stored.named_user(), "alice.near");
}

// A relayer's transaction for alice; `ends` is told of its initial receipt.
Judgement relayed(void (*ends)(testing::Story&)) {
    testing::Story story;
    auto& transaction = std::get<TransactionFacts>(story.parts.front());
    transaction.signer_id = "relayer";
    transaction.receiver_id = "alice";
    transaction.delegate = DelegateFacts{"alice", "app"};
    story.receipt("r0", "relayer", "alice");
    ends(story);
    return story.judge();
}

TEST(User, IsProvenOnceTheInitialReceiptSucceeded) {
    const auto tree = relayed([](testing::Story& story) { story.ok("r0"); });
    EXPECT_EQ(tree.user, (User{"alice", ""}));
}

TEST(User, OfARefusedDelegateActionIsNobody) {
    const auto tree = relayed([](testing::Story& story) { story.fails("r0"); });
    EXPECT_EQ(tree.user, (User{"", "alice"})) << "anybody can name her";
    ASSERT_EQ(tree.failures.size(), 1u);
    EXPECT_EQ(tree.failures.front().finding.user_id, "");
}

TEST(User, IsOnlyClaimedUntilTheInitialReceiptRan) {
    EXPECT_EQ(relayed([](testing::Story&) {}).user, (User{"", "alice"}));
}

}  // namespace
}  // namespace receiptd::chain
