#include "rpc/admission.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::rpc {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr base::SteadyTime kStart{1h};

TEST(Admission, GrantsAtOnceWhileThereIsRoom) {
    Admission admission({0, 2}, kStart);
    const auto first = admission.join(Priority::backfill);
    const auto second = admission.join(Priority::backfill);
    admission.join(Priority::backfill);
    EXPECT_THAT(admission.grant(kStart).granted, ElementsAre(first, second));
    EXPECT_EQ(admission.in_flight(), 2u);
    EXPECT_EQ(admission.waiting(), 1u);
}

// One after the other, until nobody waits.
std::vector<Admission::Ticket> order_of_starts(Admission& admission) {
    std::vector<Admission::Ticket> order;
    while (admission.waiting() > 0) {
        admission.finished();
        const auto granted = admission.grant(kStart).granted;
        order.insert(order.end(), granted.begin(), granted.end());
    }
    return order;
}

TEST(Admission, ServesByPriorityAndInOrderOfArrivalInsideOne) {
    Admission admission({0, 1}, kStart);
    const auto head_1 = admission.join(Priority::head);
    const auto submit = admission.join(Priority::submit);
    const auto head_2 = admission.join(Priority::head);
    EXPECT_THAT(order_of_starts(admission), ElementsAre(submit, head_1, head_2));
    admission.join(Priority::head);
    order_of_starts(admission);
    const auto watch = admission.join(Priority::watch);
    const auto gap = admission.join(Priority::gap);
    const auto backfill = admission.join(Priority::backfill);
    EXPECT_THAT(order_of_starts(admission), ElementsAre(watch, gap, backfill));
}

TEST(Admission, OneStartInFourIsForWhoeverHasWaitedLongest) {
    Admission admission({0, 1}, kStart);
    const auto backfill = admission.join(Priority::backfill);
    const auto watch = admission.join(Priority::watch);
    std::vector<Admission::Ticket> head;
    for (int i = 0; i < 7; ++i) head.push_back(admission.join(Priority::head));
    EXPECT_THAT(order_of_starts(admission),
                ElementsAre(head[0], head[1], head[2], backfill, head[3], head[4], head[5], watch, head[6]));
}

TEST(Admission, SaysWhenTheNextTokenFlows) {
    Admission admission({2, 100}, kStart);
    admission.join(Priority::head);
    EXPECT_EQ(admission.grant(kStart).granted.size(), 1u);
    admission.join(Priority::head);
    const auto decision = admission.grant(kStart);
    EXPECT_THAT(decision.granted, IsEmpty());
    EXPECT_EQ(decision.next, base::Duration(500ms));
    EXPECT_EQ(admission.grant(kStart + 500ms).granted.size(), 1u);
}

TEST(Admission, WithoutASlotTimeDoesNotHelp) {
    Admission admission({0, 1}, kStart);
    admission.join(Priority::head);
    admission.grant(kStart);
    admission.join(Priority::head);
    EXPECT_EQ(admission.grant(kStart).next, std::nullopt);
}

TEST(Admission, BeingBlockedSendsTheWaitingAwayAndHoldsTheNextBack) {
    Admission admission({0, 1}, kStart);
    admission.join(Priority::head);
    admission.grant(kStart);
    const auto waiting = admission.join(Priority::backfill);
    EXPECT_THAT(admission.block_until(kStart + 10s), ElementsAre(waiting));
    admission.finished();
    admission.join(Priority::head);
    EXPECT_EQ(admission.grant(kStart + 4s).next, base::Duration(6s));
    EXPECT_EQ(admission.available(kStart + 4s), 0.0);
    EXPECT_EQ(admission.grant(kStart + 10s).granted.size(), 1u);
}

TEST(Admission, SendsTheWaitingAwayInTheOrderInWhichTheyCame) {
    Admission admission({0, 1}, kStart);
    const auto backfill = admission.join(Priority::backfill);
    const auto head = admission.join(Priority::head);
    EXPECT_THAT(admission.block_until(kStart + 10s), ElementsAre(backfill, head));
}

TEST(Admission, AProbeGoesAlone) {
    Admission admission({0, 8}, kStart);
    admission.set_probing(true);
    admission.join(Priority::head);
    admission.join(Priority::head);
    EXPECT_EQ(admission.grant(kStart).granted.size(), 1u);
    EXPECT_THAT(admission.grant(kStart).granted, IsEmpty());
    admission.set_probing(false);
    EXPECT_EQ(admission.grant(kStart).granted.size(), 1u);
}

TEST(Admission, WhoeverGivesUpIsForgotten) {
    Admission admission({0, 1}, kStart);
    admission.join(Priority::head);
    admission.grant(kStart);
    admission.leave(admission.join(Priority::submit));
    admission.finished();
    EXPECT_THAT(admission.grant(kStart).granted, IsEmpty());
}

}  // namespace
}  // namespace receiptd::rpc
