#include "chain/tree/refunds.hpp"

#include <gtest/gtest.h>

namespace receiptd::chain {
namespace {

Refunds::Refund of(Text signer_id, Text receiver_id, u128 amount, bool after_failure = true) {
    return {signer_id, receiver_id, amount, after_failure};
}

TEST(Refunds, OfGasAreInTheSignersNameAndThoseOfDepositsAreNot) {
    Refunds refunds;
    refunds.add(of("alice.near", "alice.near", 7), "alice.near", "");
    refunds.add(of(kSystemAccount, "alice.near", 30), "alice.near", "");
    refunds.add(of(kSystemAccount, "app.near", 5), "alice.near", "");
    EXPECT_EQ(refunds.gas, 7u);
    EXPECT_EQ(refunds.deposits, 35u);
    EXPECT_EQ(refunds.net(100), 70u) << "what came back to app.near did not come back to alice";
    EXPECT_EQ(refunds.net(20), 0u) << "never less than nothing";
}

TEST(Refunds, OfFailedCallsAreWhatTheUserHasBack) {
    Refunds refunds;
    refunds.add(of(kSystemAccount, "alice.near", 30), "relayer.near", "alice.near");
    refunds.add(of(kSystemAccount, "relayer.near", 10), "relayer.near", "alice.near");
    refunds.add(of(kSystemAccount, "app.near", 5), "relayer.near", "alice.near");
    refunds.add(of(kSystemAccount, "alice.near", 2, false), "relayer.near", "alice.near");
    EXPECT_EQ(refunds.flow(100), (TokenFlow{60, 40})) << "what a deposit had too much came back of a success";
    EXPECT_EQ(refunds.flow(40), (TokenFlow{0, 40}));
    EXPECT_EQ(refunds.flow(1), TokenFlow()) << "a proof that a full key signed";
}

TEST(Refunds, OfALyingHostEndAtTheLargestNumber) {
    Refunds refunds;
    refunds.add(of(kSystemAccount, "alice.near", ~u128{0}), "alice.near", "");
    refunds.add(of(kSystemAccount, "alice.near", 1), "alice.near", "");
    EXPECT_EQ(refunds.deposits, ~u128{0});
}

}  // namespace
}  // namespace receiptd::chain
