#include "chain/tree/roles.hpp"

#include <gtest/gtest.h>

namespace receiptd::chain {
namespace {

constexpr ParentFacts kTransaction{true, {}, OnResultChain::no};
constexpr ParentFacts kReceipt{false, {}, OnResultChain::no};
constexpr ParentFacts kDeletion{false, "receiver.near", OnResultChain::no};
constexpr ParentFacts kOnResultChain{false, {}, OnResultChain::yes};
constexpr ParentFacts kUnderAnOrphan{false, {}, OnResultChain::unknown};

Receipt receipt(Text predecessor, Text signer = "signer.near") {
    Receipt made;
    made.kind = ReceiptKind::action;
    made.predecessor_id = predecessor;
    made.receiver_id = "receiver.near";
    made.signer_id = signer;
    return made;
}

Receipt awaiting(Receipt made) {
    made.input_data_ids = {"data"};
    return made;
}

Receipt awaited(Receipt made) {
    made.output_data_receivers = {{"data", "callback.near"}};
    return made;
}

TEST(Roles, TheChildOfTheTransactionIsInitial) {
    EXPECT_EQ(role_of(receipt("signer.near"), kTransaction), Role::initial);
}

TEST(Roles, AReceiptThatAwaitsDataIsACallback) {
    EXPECT_EQ(role_of(awaiting(receipt("a.near")), kReceipt), Role::callback);
    EXPECT_EQ(role_of(awaited(awaiting(receipt("a.near"))), kReceipt), Role::callback);
    EXPECT_EQ(role_of(awaiting(receipt("a.near")), std::nullopt), Role::callback);
}

TEST(Roles, AYieldedReceiptIsACallback) {
    auto yielded = receipt("a.near");
    yielded.is_promise_yield = true;
    EXPECT_EQ(role_of(yielded, kReceipt), Role::callback);
}

TEST(Roles, AReceiptWhoseResultSomebodyAwaitsIsAPromise) {
    EXPECT_EQ(role_of(awaited(receipt("a.near")), kReceipt), Role::promise);
    EXPECT_EQ(role_of(awaited(receipt("signer.near")), std::nullopt), Role::promise);
}

TEST(Roles, AReceiptNobodyAwaitsIsDetached) {
    EXPECT_EQ(role_of(receipt("a.near"), kReceipt), Role::detached);
    EXPECT_EQ(role_of(receipt("signer.near"), kReceipt), Role::detached);
}

TEST(Roles, AReceiptThatNoOtherAwaitsAndWhoseResultIsTheTransactionsIsReturned) {
    EXPECT_EQ(role_of(receipt("a.near"), kOnResultChain), Role::returned);
    EXPECT_EQ(role_of(awaited(receipt("a.near")), kOnResultChain), Role::promise);
    EXPECT_EQ(role_of(awaiting(receipt("a.near")), kOnResultChain), Role::callback);
    EXPECT_EQ(role_of(receipt("system"), kOnResultChain), Role::refund);
}

TEST(Roles, WhatIsReturnedIsOnTheChainOfWhoeverReturnedIt) {
    EXPECT_EQ(result_chain_of(kTransaction), OnResultChain::yes);
    EXPECT_EQ(result_chain_of(kOnResultChain), OnResultChain::yes);
    EXPECT_EQ(result_chain_of(kReceipt), OnResultChain::no);
    EXPECT_EQ(result_chain_of(kUnderAnOrphan), OnResultChain::unknown);
    EXPECT_EQ(result_chain_of(std::nullopt), OnResultChain::unknown);
}

TEST(Roles, SystemSendsRefundsAndThePayoutOfADeletedAccount) {
    EXPECT_EQ(role_of(receipt("system"), kReceipt), Role::refund);
    EXPECT_EQ(role_of(receipt("system", "system"), kReceipt), Role::refund);
    EXPECT_EQ(role_of(receipt("system", "system"), kDeletion), Role::payout);
    EXPECT_EQ(role_of(receipt("system", "deleted.near"), kDeletion), Role::refund) << "of gas";
    auto elsewhere = receipt("system", "system");
    elsewhere.receiver_id = "other.near";
    EXPECT_EQ(role_of(elsewhere, kDeletion), Role::refund) << "not to the beneficiary";
    EXPECT_EQ(role_of(receipt("a.near"), kDeletion), Role::detached);
}

TEST(Roles, WithoutAParentOnlyWhatIsCertainIsTold) {
    EXPECT_EQ(role_of(receipt("system", "signer.near"), std::nullopt), Role::refund);
    EXPECT_EQ(role_of(receipt("system", "system"), std::nullopt), std::nullopt) << "refund or payout";
    EXPECT_EQ(role_of(receipt("signer.near"), std::nullopt), std::nullopt) << "initial or detached";
    EXPECT_EQ(role_of(receipt("a.near"), std::nullopt), std::nullopt) << "returned or detached";
    EXPECT_EQ(role_of(receipt("a.near"), kUnderAnOrphan), std::nullopt) << "returned or detached";
}

TEST(Roles, OnlyADeletionThatSucceededPaysOut) {
    auto deletion = receipt("a.near");
    deletion.actions.resize(2);
    deletion.actions[1].kind = ActionKind::delete_account;
    deletion.actions[1].beneficiary_id = "heir.near";
    ExecutionStatus status;
    status.kind = StatusKind::success_value;
    EXPECT_EQ(beneficiary_of(deletion, status), "heir.near");
    EXPECT_EQ(beneficiary_of(receipt("a.near"), status), "");
    status.kind = StatusKind::failure;
    EXPECT_EQ(beneficiary_of(deletion, status), "");
}

TEST(Roles, NamesAreThoseOfTheSchema) {
    EXPECT_EQ(role_name(Role::initial), "initial");
    EXPECT_EQ(role_name(Role::callback), "callback");
    EXPECT_EQ(role_name(Role::promise), "promise");
    EXPECT_EQ(role_name(Role::returned), "returned");
    EXPECT_EQ(role_name(Role::detached), "detached");
    EXPECT_EQ(role_name(Role::refund), "refund");
    EXPECT_EQ(role_name(Role::payout), "payout");
}

}  // namespace
}  // namespace receiptd::chain
