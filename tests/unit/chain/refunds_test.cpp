#include "chain/tree/refunds.hpp"

#include <gtest/gtest.h>

namespace receiptd::chain {
namespace {

TEST(Refunds, OfGasAreInTheSignersNameAndThoseOfDepositsAreNot) {
    Refunds refunds;
    refunds.add("alice.near", "alice.near", 7, "alice.near");
    refunds.add(kSystemAccount, "alice.near", 30, "alice.near");
    refunds.add(kSystemAccount, "app.near", 5, "alice.near");
    EXPECT_EQ(refunds.gas, 7u);
    EXPECT_EQ(refunds.deposits, 35u);
    EXPECT_EQ(refunds.net(100), 70u) << "what came back to app.near did not come back to alice";
    EXPECT_EQ(refunds.net(20), 0u) << "never less than nothing";
}

TEST(Refunds, OfALyingHostEndAtTheLargestNumber) {
    Refunds refunds;
    refunds.add(kSystemAccount, "alice.near", ~u128{0}, "alice.near");
    refunds.add(kSystemAccount, "alice.near", 1, "alice.near");
    EXPECT_EQ(refunds.deposits, ~u128{0});
}

}  // namespace
}  // namespace receiptd::chain
