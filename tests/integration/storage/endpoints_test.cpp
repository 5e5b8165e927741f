// Endpoints as people see them, switch them on and pause them.
#include "alert_test_support.hpp"
#include "declared_rules.hpp"
#include "storage/pg_endpoint_store.hpp"
#include "support/served.hpp"

namespace receiptd::test {
namespace {

class Endpoints : public AlertsTest {
protected:
    storage::PgEndpointStore endpoints() { return storage::PgEndpointStore(process().database); }
};

TEST_F(Endpoints, TellTheirRulesAndTheirBacklog) {
    await(process().deliveries.serve_endpoints({storage::ServedEndpoint{"ops", {"payments", "default"}},
                                                storage::ServedEndpoint{"lab", {"default"}}},
                                               storage::Serving::begins));
    queue("a", 10);
    queue("b", 5);
    queue("c", 5);
    execute("UPDATE deliveries SET state = 'dead' WHERE alert_id = 'c'");
    execute("UPDATE endpoints SET served_at = now() - interval '5 days' WHERE name = 'lab'");
    const auto all = await(endpoints().endpoints());
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].name, "lab");
    EXPECT_FALSE(all[0].is_served);
    EXPECT_EQ(all[0].pending, 0u);
    EXPECT_EQ(all[0].oldest_pending_at, "");
    EXPECT_EQ(all[1].rules, (std::vector<std::string>{"default", "payments"}));
    EXPECT_TRUE(all[1].is_served);
    EXPECT_EQ(all[1].pending, 2u);
    EXPECT_EQ(all[1].dead, 1u);
    EXPECT_NE(all[1].oldest_pending_at, "");
    EXPECT_EQ(all[1].off_since, "");
}

TEST_F(Endpoints, TellWhichDaemonServedThemLast) {
    OpenStore first(database().url()), second(database().url());
    await(first.check_identity("testnet", "all"));
    declare_rules(first, {"here:1"}, {});
    EXPECT_EQ(await(endpoints().endpoints())[0].served_by, "here:1");
    declare_rules(second, {"there:2"}, {});
    EXPECT_EQ(await(endpoints().endpoints())[0].served_by, "there:2");
    await(process().deliveries.serve_endpoints(test::served({"team"}), storage::Serving::goes_on));
    EXPECT_EQ(await(endpoints().endpoints())[0].served_by, "") << "this one has not said where it runs";
}

TEST_F(Endpoints, OneThatIsSwitchedOnIsSentWhatWaited) {
    await(process().deliveries.serve_endpoints(test::served({"ops"}), storage::Serving::begins));
    queue("a", 10);
    queue("b", 5);
    process().claimed_ids(1);
    auto gone = given_up("a");
    gone.endpoint_gone = true;
    record(process(), gone);
    EXPECT_NE(await(endpoints().endpoints())[0].off_since, "");
    EXPECT_TRUE(process().claimed_ids(5).empty());
    EXPECT_EQ(await(endpoints().switch_on("ops")), storage::Switched::now);
    EXPECT_EQ(await(endpoints().switch_on("ops")), storage::Switched::before);
    EXPECT_EQ(await(endpoints().switch_on("none")), storage::Switched::no_such_endpoint);
    EXPECT_EQ(process().claimed_ids(5), std::vector<std::string>{"b"}) << "the dead one stays dead";
}

TEST_F(Endpoints, OneThatIsPausedKeepsWhatItGetsUntilItIsResumed) {
    await(process().deliveries.serve_endpoints(test::served({"ops"}), storage::Serving::begins));
    queue("a", 1000);
    EXPECT_EQ(await(endpoints().pause("ops")), storage::Switched::now);
    EXPECT_EQ(await(endpoints().pause("ops")), storage::Switched::before);
    EXPECT_EQ(await(endpoints().pause("none")), storage::Switched::no_such_endpoint);
    await(process().deliveries.serve_endpoints(test::served({"ops"}), storage::Serving::begins));
    EXPECT_TRUE(process().claimed_ids(5).empty()) << "a restart of the daemon changes nothing";
    EXPECT_FALSE(await(process().deliveries.next_delivery_in({"ops"})));
    const auto backlog = await(process().deliveries.delivery_backlog());
    ASSERT_EQ(backlog.size(), 1u);
    EXPECT_EQ(backlog[0].pending, 1u);
    EXPECT_EQ(backlog[0].oldest_pending.count(), 0) << "nothing is late";
    EXPECT_EQ(backlog[0].not_tried, 0u);
    EXPECT_NE(await(endpoints().endpoints())[0].paused_since, "");
    EXPECT_EQ(await(endpoints().resume("ops")), storage::Switched::now);
    EXPECT_EQ(await(endpoints().resume("ops")), storage::Switched::before);
    EXPECT_EQ(process().claimed_ids(5), std::vector<std::string>{"a"});
}

}  // namespace
}  // namespace receiptd::test
