// What becomes of deliveries is told, and undone by whoever sends them anew.
#include "alert_test_support.hpp"

#include <gmock/gmock.h>

namespace receiptd::test {
namespace {

using testing::ElementsAre;

using Fates = AlertsTest;

TEST_F(Fates, WhateverBecameOfADeliveryItIsListedAndSentAnewByItself) {
    for (const auto state : storage::kDeliveryStates) {
        const std::string id(state);
        queue(id);
        execute("UPDATE deliveries SET state = alert_id WHERE alert_id = '" + id + "'");
        EXPECT_EQ(await(process().people.list_deliveries(only(id))).size(), 1u) << id;
        EXPECT_EQ(resend(only("", "", id)), 1u) << id;
        EXPECT_THAT(process().claimed_ids(5), ElementsAre(id));
    }
}

TEST_F(Fates, TheDeadTellWhyUntilTheyAreSentAnew) {
    for (const char* id : {"attempts", "gone", "unserved"}) queue(id);
    execute("UPDATE deliveries SET created_at = now() - interval '5 days' WHERE alert_id = 'unserved'");
    const auto why = [&] { return rows("SELECT alert_id, dead_because FROM deliveries ORDER BY 1"); };
    await(process().database.maintain(base::SystemClock().wall(), {}));
    EXPECT_EQ(why(), "attempts|-\ngone|-\nunserved|unserved\n");
    process().claimed_ids(3);
    record(process(), given_up("attempts"));
    auto gone = given_up("gone");
    gone.endpoint_gone = true;
    record(process(), gone);
    EXPECT_EQ(why(), "attempts|attempts\ngone|gone\nunserved|unserved\n");
    EXPECT_EQ(await(process().people.list_deliveries(only("dead", "", "gone"))).front().dead_because, "gone");
    EXPECT_EQ(resend(only("dead")), 3u);
    EXPECT_EQ(why(), "attempts|-\ngone|-\nunserved|-\n");
}

}  // namespace
}  // namespace receiptd::test
