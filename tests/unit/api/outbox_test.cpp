#include "api/status.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::api {
namespace {

using ::testing::HasSubstr;

TEST(Outbox, ReadsAsOneLine) {
    OutboxView outbox;
    outbox.dead = 2;
    EXPECT_EQ(outbox_line(outbox), "0 pending, 2 dead");
    outbox.pending = 3;
    outbox.oldest_pending_seconds = 12.7;
    EXPECT_EQ(outbox_line(outbox), "3 pending, the oldest for 12 s, 2 dead");
}

TEST(Outbox, IsNullWithoutEndpointsAndMakesNobodyUnready) {
    DaemonStatus status;
    EXPECT_THAT(to_json(status), HasSubstr("\"alerts\": null"));
    const auto before = unreadiness(status).size();
    OutboxView full;
    full.pending = full.dead = 1'000'000;
    full.oldest_pending_seconds = 1e6;
    status.outbox = full;
    EXPECT_EQ(unreadiness(status).size(), before);
    EXPECT_THAT(to_json(status), HasSubstr("\"oldest_pending_seconds\": 1000000.0"));
}

}  // namespace
}  // namespace receiptd::api
