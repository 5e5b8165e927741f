// An endpoint that asks for it gets the alerts of one transaction in the order in which they were made,
// whoever made them, and whenever that is committed.
#include "alert_test_support.hpp"
#include "storage/news.hpp"

#include <gmock/gmock.h>

namespace receiptd::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

class DeliveryOrder : public AlertsTest {
protected:
    void SetUp() override {
        AlertsTest::SetUp();
        if (IsSkipped()) return;
        await(process().deliveries.serve_endpoints({{"ops", {"ends"}}}, storage::Serving::begins));
    }

    // A session that makes alerts; each is in a transaction of its own.
    struct Session {
        explicit Session(const std::string& url) : connection(storage::shim::connect(url)) {}
        void make(const std::string& alert_id, const std::string& tx_hash = "T") {
            if (!tx) tx = std::make_unique<pqxx::work>(*connection);
            storage::Event event;
            event.subject.kind = rule::Kind::stage;
            event.subject.stage = "completed";
            event.subject.cause_id = alert_id;
            event.subject.tx_hash = tx_hash;
            event.cause_json = "{}";
            ASSERT_TRUE(storage::tell_of_rule(*tx, "ends", event).is_due);
        }
        void commit() {
            tx->commit();
            tx.reset();
        }
        std::unique_ptr<pqxx::connection> connection;
        std::unique_ptr<pqxx::work> tx;
    };

    std::vector<std::string> claim(bool ordered = true) {
        std::vector<std::string> ids;
        for (const auto& due : await(process().deliveries.claim_deliveries({{"ops", 10, ordered}}, 30s)).due)
            ids.push_back(due.alert_id);
        return ids;
    }
    Session session() { return Session(database().url()); }
};

TEST_F(DeliveryOrder, OfOneTransactionComeOneAfterTheOther) {
    queue("first", 1);
    queue("second", 3);  // due for longer, because it was sent anew
    queue("third", 2);
    execute("UPDATE alerts SET tx_hash = 'U' WHERE alert_id = 'third'");
    queue("second", 1, "lab");
    EXPECT_THAT(claim(), ElementsAre("third", "first"));
    EXPECT_THAT(claim(), IsEmpty()) << "it is under way";
    record(process(), failed("first", 1h));
    EXPECT_THAT(claim(), IsEmpty()) << "it will be tried again";
    execute("UPDATE deliveries SET next_attempt_at = now() WHERE alert_id = 'first'");
    EXPECT_THAT(claim(), ElementsAre("first"));
    record(process(), given_up("first"));
    EXPECT_THAT(claim(), ElementsAre("second"));
}

TEST_F(DeliveryOrder, WhatIsCommittedEarlierButWasMadeLaterWaits) {
    auto slow = session();
    auto fast = session();
    slow.make("first");
    fast.make("second");
    fast.commit();
    EXPECT_THAT(claim(), IsEmpty()) << "what was made before it may still be committed";
    slow.make("third");
    slow.commit();
    EXPECT_THAT(claim(), ElementsAre("first"));
    record(process(), delivered("first"));
    EXPECT_THAT(claim(), ElementsAre("second"));
    record(process(), delivered("second"));
    EXPECT_THAT(claim(), ElementsAre("third"));
}

TEST_F(DeliveryOrder, WhatIsNeverCommittedHoldsUpNobody) {
    auto slow = session();
    auto fast = session();
    slow.make("first");
    fast.make("second");
    fast.commit();
    EXPECT_THAT(claim(), IsEmpty());
    slow.tx.reset();
    EXPECT_THAT(claim(), ElementsAre("second"));
}

TEST_F(DeliveryOrder, WhatIsMadeLaterHoldsUpNothingThatWasMadeBefore) {
    auto slow = session();
    auto fast = session();
    fast.make("first");
    EXPECT_THAT(claim(), IsEmpty());
    slow.make("second");
    fast.commit();
    EXPECT_THAT(claim(), ElementsAre("first"));
}

TEST_F(DeliveryOrder, OfManyWhoMakeAlertsAllThatWereOpenAreAwaited) {
    storage::SettledPlaces places;
    EXPECT_EQ(places.learn(10, {"a", "b"}), 0) << "both may have drawn a place";
    EXPECT_EQ(places.learn(20, {"b", "c"}), 0);
    EXPECT_EQ(places.learn(30, {"c", "d"}), 10) << "c and d began later";
    EXPECT_EQ(places.learn(40, {"d"}), 10) << "it may have drawn one below 30";
    EXPECT_EQ(places.learn(40, {}), 40);
    EXPECT_EQ(places.learn(50, {"e"}), 40);
    EXPECT_EQ(places.learn(5, {"f"}), 0) << "the database went back";
}

TEST_F(DeliveryOrder, LocksThatAnyRoleCanTakeHoldUpNothing) {
    auto stranger = session();
    pqxx::work held(*stranger.connection);
    held.exec(
        "SELECT pg_advisory_xact_lock((29285::bigint << 48) | n) FROM generate_series(0, 99) n; LOCK TABLE "
        "alerts IN "
        "ACCESS SHARE MODE; SELECT count(*) FROM alerts");
    auto fast = session();
    fast.make("first");
    fast.commit();
    EXPECT_THAT(claim(), ElementsAre("first"));
}

TEST_F(DeliveryOrder, AnEndpointThatAsksForNoOrderWaitsForNobody) {
    auto slow = session();
    auto fast = session();
    slow.make("first");
    fast.make("second");
    fast.commit();
    EXPECT_THAT(claim(false), ElementsAre("second"));
}

TEST_F(DeliveryOrder, AProbeIsWhatWasNeverTriedIfThereIsSuch) {
    queue("poison", 100);
    queue("worse", 90);
    process().claimed_ids(2);
    for (const char* id : {"poison", "worse"}) record(process(), failed(id, 0ms));
    const auto probe = [&] {
        return await(process().deliveries.claim_deliveries({{"ops", 1, false, true}}, 30s)).due;
    };
    queue("new", 1);
    for (const char* id : {"new", "poison", "worse"}) {
        const auto due = probe();
        ASSERT_EQ(due.size(), 1u);
        EXPECT_EQ(due[0].alert_id, id);
        record(process(), failed(id, 0ms));
    }
}

TEST_F(DeliveryOrder, AlertsOfNoTransactionWaitForNobody) {
    auto slow = session();
    auto fast = session();
    slow.make("first");
    fast.make("rule:absence", "");
    fast.commit();
    EXPECT_THAT(claim(), ElementsAre("rule:absence"));
}

}  // namespace
}  // namespace receiptd::test
