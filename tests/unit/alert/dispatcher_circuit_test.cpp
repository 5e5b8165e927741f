// An endpoint that is out of order, or that never takes one of its messages.
#include "dispatcher_fixture.hpp"

#include <gmock/gmock.h>

namespace receiptd::alert {
namespace {

using namespace std::chrono_literals;
using namespace alert::testing;
using ::testing::HasSubstr;

using DispatcherCircuitTest = DispatcherTest;

TEST_F(DispatcherCircuitTest, AnEndpointOutOfOrderIsProbedAndTheDeliveriesKeepTheirAttempts) {
    for (int i = 0; i < 8; ++i) answer("ops", 503);
    for (int i = 0; i < 5; ++i) store_.add("failed_receipt:r" + std::to_string(i), "ops");
    settle();
    EXPECT_EQ(sender_.posts("ops"), 5U);
    EXPECT_THAT(metrics(), HasSubstr("receiptd_endpoint_circuit_open{endpoint=\"ops\"} 1"));
    store_.add("failed_receipt:later", "ops");
    store_.add("failed_receipt:later", "lab");
    settle_after(900ms);
    EXPECT_EQ(sender_.posts("ops"), 5U);
    EXPECT_EQ(sender_.posts("lab"), 1U) << "others go on";
    settle_after(100ms);
    EXPECT_EQ(sender_.posts("ops"), 6U) << "one probe";
    settle_after(1'900ms);
    EXPECT_EQ(sender_.posts("ops"), 6U);
    settle_after(100ms);
    EXPECT_EQ(sender_.posts("ops"), 7U);
    settle_after(4s);
    EXPECT_EQ(sender_.posts("ops"), 8U);
    for (const auto& [key, delivery] : store_.deliveries)
        EXPECT_LE(delivery.due.attempts, 1U) << key.first << ": probes count as no attempts";
    settle_after(8s);
    EXPECT_EQ(store_.count("delivered", "ops"), 6U) << "the first that it takes lets the rest follow";
    EXPECT_THAT(metrics(), HasSubstr("receiptd_endpoint_circuit_open{endpoint=\"ops\"} 0"));
}

TEST_F(DispatcherCircuitTest, WhatWaitsForTheCircuitAloneFollowsAsSoonAsItCloses) {
    for (int i = 0; i < 6; ++i) answer("ops", 503);
    for (int i = 0; i < 5; ++i) store_.add("failed_receipt:r" + std::to_string(i), "ops");
    settle();
    store_.add("failed_receipt:later", "ops");
    settle_after(1s);
    EXPECT_EQ(store_.of("failed_receipt:later", "ops").last.status, 503) << "it is the probe";
    store_.add("failed_receipt:a", "ops");  // the first by its name: the next probe
    settle_after(2s);
    EXPECT_EQ(store_.of("failed_receipt:a", "ops").state, "delivered");
    EXPECT_EQ(store_.of("failed_receipt:later", "ops").state, "delivered");
}

TEST_F(DispatcherCircuitTest, AnOverloadedEndpointIsLeftAloneAfterAProbe) {
    for (int i = 0; i < 5; ++i) answer("ops", 503);
    answer("ops", 503, 10min);
    for (int i = 0; i < 5; ++i) store_.add("failed_receipt:r" + std::to_string(i), "ops");
    settle();
    settle_after(5s);
    EXPECT_EQ(sender_.posts("ops"), 6U);
    settle_after(9min);
    EXPECT_EQ(sender_.posts("ops"), 6U);
    settle_after(1min);
    EXPECT_EQ(store_.count("delivered", "ops"), 5U);
}

TEST_F(DispatcherCircuitTest, AMessageThatIsNeverTakenEndsByItsScheduleAndHoldsUpNoOther) {
    for (int i = 0; i < 10; ++i) answer("ops", 500);
    store_.add("poison", "ops");
    settle();
    for (int i = 0; i < 9; ++i) settle_after(25h);
    EXPECT_EQ(store_.of("poison", "ops").state, "dead");
    EXPECT_THAT(metrics(), HasSubstr("receiptd_endpoint_circuit_open{endpoint=\"ops\"} 0"));
}

TEST_F(DispatcherCircuitTest, AProbeThatBreaksDownIsNotTheLast) {
    for (int i = 0; i < 5; ++i) answer("ops", 503);
    for (int i = 0; i < 5; ++i) store_.add("failed_receipt:r" + std::to_string(i), "ops");
    settle();
    sender_.broken = true;
    settle_after(5s);
    EXPECT_EQ(sender_.posts("ops"), 6U);
    sender_.broken = false;
    settle_after(2s);
    EXPECT_EQ(store_.count("delivered", "ops"), 4U) << "another is the next probe";
    settle_after(1min);
    EXPECT_EQ(store_.count("delivered", "ops"), 5U) << "its lease has ended";
}

TEST_F(DispatcherCircuitTest, RefusalsOfWhatIsSentLeaveTheCircuitClosed) {
    for (int i = 0; i < 8; ++i) answer("ops", 400);
    for (int i = 0; i < 8; ++i) store_.add("failed_receipt:r" + std::to_string(i), "ops");
    settle();
    EXPECT_THAT(metrics(), HasSubstr("receiptd_endpoint_circuit_open{endpoint=\"ops\"} 0"));
}

TEST_F(DispatcherCircuitTest, AttemptsThatHangBesideThoseThatAreTakenLeaveTheCircuitClosed) {
    sender_.held.insert("ops");
    for (int i = 0; i < 16; ++i) store_.add("failed_receipt:r" + std::to_string(i), "ops");
    settle();
    answer("ops", 200);
    for (int i = 0; i < 15; ++i) answer("ops", 503);
    clock_.passed += 15s;
    sender_.release("ops");
    settle();
    EXPECT_EQ(sender_.posts("ops"), 16U);
    EXPECT_EQ(store_.count("delivered", "ops"), 1U);
    EXPECT_THAT(metrics(), HasSubstr("receiptd_endpoint_circuit_open{endpoint=\"ops\"} 0"));
}

}  // namespace
}  // namespace receiptd::alert
