// The message of an alert is kept before its first attempt, and all attempts send it.
#include "alert_test_support.hpp"

#include <gmock/gmock.h>

namespace receiptd::test {
namespace {

using testing::IsEmpty;

// As if all leases had run out.
constexpr const char* kLeasesEnd = "UPDATE deliveries SET next_attempt_at = now() - interval '1 second'";

using KeptPayloads = AlertsTest;

std::string keep(Process& process, const std::string& alert_id, const std::string& payload) {
    return await(process.deliveries.keep_payloads({{alert_id, payload}})).at(alert_id).body;
}

TEST_F(KeptPayloads, TheFirstWins) {
    queue("a");
    EXPECT_EQ(process().claim(1)[0].payload, "");
    EXPECT_EQ(keep(process(), "a", "{\"first\":1}"), "{\"first\":1}");
    EXPECT_EQ(keep(other(), "a", "{\"second\":2}"), "{\"first\":1}");
    execute(kLeasesEnd);
    EXPECT_EQ(other().claim(1)[0].payload, "{\"first\":1}");
    EXPECT_THAT(await(process().deliveries.keep_payloads({{"forgotten", "{}"}})), IsEmpty());
}

TEST_F(KeptPayloads, SettleWhetherOutcomesAreConfirmed) {
    queue("confirmed");
    queue("too late");
    for (const auto& delivery : process().claim(2)) EXPECT_FALSE(delivery.confirmed) << delivery.alert_id;
    execute("UPDATE alerts SET confirmed = true WHERE alert_id = 'confirmed'");
    const auto kept = await(process().deliveries.keep_payloads({{"confirmed", "{}"}, {"too late", "{}"}}));
    EXPECT_TRUE(kept.at("confirmed").confirmed);
    EXPECT_FALSE(kept.at("too late").confirmed);
    execute(kLeasesEnd);
    for (const auto& delivery : other().claim(2))
        EXPECT_EQ(delivery.confirmed, kept.at(delivery.alert_id).confirmed) << delivery.alert_id;
}

}  // namespace
}  // namespace receiptd::test
