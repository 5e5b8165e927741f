#include "chain/tree/lineage.hpp"

#include <gtest/gtest.h>

namespace receiptd::chain {
namespace {

TEST(Lineage, AnAnnouncedReceiptIsTakenOnce) {
    Lineage lineage;
    lineage.announce_receipt("child", 10, {"tx", true, "parent", "heir.near", false});
    const auto parentage = lineage.take_receipt("child");
    ASSERT_TRUE(parentage);
    EXPECT_EQ(parentage->tree_id, "tx");
    EXPECT_TRUE(parentage->tree_is_transaction);
    EXPECT_EQ(parentage->parent_receipt_id, "parent");
    EXPECT_EQ(parentage->parent_beneficiary_id, "heir.near");
    EXPECT_FALSE(parentage->in_scope);
    EXPECT_FALSE(lineage.take_receipt("child"));
    EXPECT_EQ(lineage.size(), 0u);
}

TEST(Lineage, DataIsTakenOnceAndTheLastAnnouncementCounts) {
    Lineage lineage;
    lineage.announce_data("data", 10, "receipt", false, false);
    lineage.announce_data("data", 11, "tx", true, true);
    const auto origin = lineage.take_data("data");
    ASSERT_TRUE(origin);
    EXPECT_EQ(origin->tree_id, "tx");
    EXPECT_TRUE(origin->tree_is_transaction);
    EXPECT_TRUE(origin->in_scope);
    EXPECT_FALSE(lineage.take_data("data"));
}

TEST(Lineage, ChildrenOfOneParentAreTakenOneByOne) {
    Lineage lineage;
    const std::vector<std::string_view> children = {"first", "second"};
    lineage.announce_receipts(children, 10, {"tx", true, "parent", "", true});
    lineage.announce_receipt("third", 10, {"other tx", true, "other parent", "", true});
    EXPECT_EQ(lineage.take_receipt("second")->parent_receipt_id, "parent");
    lineage.announce_receipt("fourth", 11, {"yet another", true, "", "", true});
    EXPECT_EQ(lineage.take_receipt("first")->parent_receipt_id, "parent");
    EXPECT_EQ(lineage.take_receipt("third")->parent_receipt_id, "other parent");
    EXPECT_EQ(lineage.take_receipt("fourth")->tree_id, "yet another");
    EXPECT_EQ(lineage.size(), 0u);
}

TEST(Lineage, OnlyWhatItsParentReturnedIsOnTheParentsResultChain) {
    Lineage lineage;
    const std::vector<std::string_view> children = {"first", "second"};
    const Parentage parentage{"tx", true, "parent", "", true, OnResultChain::yes};
    lineage.announce_receipts(children, 10, parentage, "second");
    EXPECT_EQ(lineage.take_receipt("first")->result_chain, OnResultChain::no);
    EXPECT_EQ(lineage.take_receipt("second")->result_chain, OnResultChain::yes);
}

TEST(Lineage, TheLastAnnouncementOfAReceiptCounts) {
    Lineage lineage;
    lineage.announce_receipt("child", 10, {"tx", true, "parent", "", true});
    lineage.announce_receipt("child", 11, {"other tx", true, "other parent", "", true});
    EXPECT_EQ(lineage.size(), 1u);
    EXPECT_EQ(lineage.take_receipt("child")->parent_receipt_id, "other parent");
}

TEST(Lineage, WhatIsNoIdIsNotRemembered) {
    Lineage lineage;
    const std::string longer(IdText::kLongest + 1, '1');
    lineage.announce_receipt(longer, 10, {});
    lineage.announce_data(longer, 10, "tx", true, true);
    EXPECT_FALSE(lineage.take_receipt(longer));
    EXPECT_FALSE(lineage.take_data(longer));
    EXPECT_EQ(lineage.size(), 0u);
}

TEST(Lineage, ReceiptsAndDataDoNotMix) {
    Lineage lineage;
    lineage.announce_receipt("id", 1, {});
    EXPECT_FALSE(lineage.take_data("id"));
    EXPECT_TRUE(lineage.take_receipt("id"));
}

TEST(Lineage, AReceiptIsKnownHoweverLateItComes) {
    Lineage lineage;
    lineage.announce_receipt("child", 1, {"tx", true, "parent", "", true});
    lineage.bound();
    lineage.announce_receipt("other", 1'000'000, {});
    lineage.bound();
    EXPECT_EQ(lineage.take_receipt("child")->parent_receipt_id, "parent");
}

TEST(Lineage, OfTooManyTheLowestAreForgotten) {
    Lineage lineage(16);
    for (base::Height height = 1; height <= 8; ++height) {
        lineage.announce_receipt("receipt " + std::to_string(height), height, {"tx", true, "", "", true});
        lineage.announce_data("data " + std::to_string(height), height, "tx", true, true);
    }
    EXPECT_EQ(lineage.bound(), 0u);
    lineage.announce_receipt("one more", 9, {});
    EXPECT_EQ(lineage.bound(), 4u);
    EXPECT_EQ(lineage.size(), 13u);
    EXPECT_FALSE(lineage.take_receipt("receipt 2"));
    EXPECT_FALSE(lineage.take_data("data 2"));
    EXPECT_TRUE(lineage.take_receipt("receipt 3"));
    EXPECT_TRUE(lineage.take_data("data 3"));
}

TEST(Lineage, MemoryStaysBoundedWhenChildrenNeverExecute) {
    Lineage lineage(100);
    for (base::Height height = 1; height < 10000; ++height) {
        lineage.announce_receipt("receipt " + std::to_string(height), height, {"tx", true, "", "", true});
        lineage.announce_data("data " + std::to_string(height), height, "tx", true, true);
        lineage.bound();
        ASSERT_LE(lineage.size(), 100u);
    }
}

TEST(Lineage, KnowsWhatRanInTheHeightsBelow) {
    Lineage lineage;
    EXPECT_TRUE(lineage.executes("receipt", 10));
    EXPECT_TRUE(lineage.executes("receipt", 10)) << "a block may list it twice";
    EXPECT_TRUE(lineage.executes("another", 11));
    EXPECT_FALSE(lineage.executes("receipt", 11));
    EXPECT_FALSE(lineage.executes("receipt", 10 + kSeamReach));
    EXPECT_TRUE(lineage.executes("receipt", 11 + kSeamReach));
    EXPECT_TRUE(lineage.includes("receipt", 11)) << "the receipt that a transaction became";
    EXPECT_FALSE(lineage.includes("receipt", 12));
}

TEST(Lineage, ForgetsWhatRanFarBelow) {
    ExecutedIds executed;
    for (base::Height height = 0; height < 10 * kSeamReach; ++height)
        ASSERT_TRUE(executed.executes("receipt-" + std::to_string(height), height));
    EXPECT_LE(executed.size(), kSeamReach + 200);
    EXPECT_FALSE(executed.executes("receipt-" + std::to_string(9 * kSeamReach), 10 * kSeamReach));
}

TEST(Lineage, ForgetsTheLowestOfTooManyThatRan) {
    ExecutedIds executed(800);
    const auto run = [&](base::Height height) {
        for (unsigned i = 0; i < 100; ++i)
            executed.executes("receipt-" + std::to_string(height) + "-" + std::to_string(i), height);
    };
    for (base::Height height = 1; height <= 20; ++height) {
        run(height);
        EXPECT_LE(executed.size(), 801u);
    }
    EXPECT_FALSE(executed.executes("receipt-20-0", 21));
    EXPECT_TRUE(executed.executes("receipt-1-0", 21));
}

}  // namespace
}  // namespace receiptd::chain
