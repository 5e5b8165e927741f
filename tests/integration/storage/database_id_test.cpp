// A database has an id of its own, which a copy has not, and names that others hear are made with it.
#include "storage/database_id.hpp"

#include "alert_test_support.hpp"

#include <gmock/gmock.h>

#include <set>

namespace receiptd::test {
namespace {

using namespace std::chrono_literals;
using Is = storage::DatabaseId::Is;

class DatabaseIds : public AlertsTest {
protected:
    storage::DatabaseId settle() { return await(ids().settle()); }
    storage::PgDatabaseIds ids() { return storage::PgDatabaseIds(process().database); }
    void move_to(const std::string& where) { execute("UPDATE database_identity SET " + where); }
    // The name of the group that this alert opens.
    std::string name_of_group(const std::string& alert_id) {
        queue(alert_id);
        storage::EndpointRoom room{
            .endpoint = "ops", .limit = 1, .storm = {.group = {storm::KeyPart::receiver}}};
        const auto due = await(process().deliveries.claim_deliveries({room}, 30s)).due;
        return due.size() == 1 ? due[0].group_name : "none is sent";
    }
    void forget_alerts() { execute("DELETE FROM deliveries; DELETE FROM alerts; DELETE FROM alert_groups"); }
};

TEST_F(DatabaseIds, IsMadeOnceAndStays) {
    const auto born = settle();
    EXPECT_EQ(born.is, Is::born);
    EXPECT_EQ(born.id.size(), 36u);
    const auto again = settle();
    EXPECT_EQ(again.is, Is::kept) << "a restart, a failover or the promotion of a standby";
    EXPECT_EQ(again.id, born.id);
    EXPECT_EQ(value("SELECT system_identifier = (SELECT system_identifier::text FROM pg_control_system()) "
                    "FROM database_identity"),
              "t");
}

TEST_F(DatabaseIds, ACopyHasAnother) {
    const auto original = settle().id;
    for (const char* where : {"database_oid = 1", "system_identifier = '7'"}) {
        const auto before = settle().id;
        move_to(where);
        const auto copy = settle();
        EXPECT_EQ(copy.is, Is::renewed) << where;
        EXPECT_EQ(copy.before, before);
        EXPECT_NE(copy.id, before);
        EXPECT_EQ(settle().id, copy.id);
    }
    EXPECT_NE(settle().id, original);
}

TEST_F(DatabaseIds, AReplacementKeepsItWherePeopleSaySo) {
    const auto lost = settle().id;
    move_to("database_oid = 1, system_identifier = '7'");
    EXPECT_EQ(await(ids().keep()).id, lost);
    EXPECT_EQ(settle().is, Is::kept);
    EXPECT_EQ(settle().id, lost);
}

TEST_F(DatabaseIds, ACopyOfFilesGetsAnotherWherePeopleSaySo) {
    const auto original = settle().id;
    const auto copy = await(ids().renew());
    EXPECT_EQ(copy.before, original);
    EXPECT_NE(copy.id, original);
    EXPECT_EQ(settle().id, copy.id);
}

TEST_F(DatabaseIds, AServerThatTellsNothingOfItselfIsKnownByTheDatabase) {
    const auto id = settle().id;
    move_to("system_identifier = NULL");
    EXPECT_EQ(settle().id, id);
}

TEST_F(DatabaseIds, AGroupThatIsOpenedAgainHasTheSameName) {
    settle();
    const auto first = name_of_group("failed_receipt:R");
    EXPECT_THAT(first, testing::MatchesRegex("group-[0-9a-f]{32}"));
    forget_alerts();
    EXPECT_EQ(name_of_group("failed_receipt:R"), first) << "as after a restore from a physical backup";
    forget_alerts();
    EXPECT_NE(name_of_group("failed_receipt:S"), first) << "another cause";
    forget_alerts();
    await(ids().renew());
    EXPECT_NE(name_of_group("failed_receipt:R"), first) << "of a copy";
}

TEST_F(DatabaseIds, NoPartsAreTakenForOthers) {
    const storage::Origin here{"testnet", "A"};
    std::set<std::string> names;
    for (const auto& parts : std::vector<std::vector<std::string>>{{"ops", "key", "cause"},
                                                                   {"op", "skey", "cause"},
                                                                   {"ops", "keyc", "ause"},
                                                                   {"ops", "key"},
                                                                   {"ops1:k", "ey"}})
        names.insert(storage::name_of(here, parts));
    names.insert(storage::name_of({"mainnet", "A"}, {"ops", "key"}));
    names.insert(storage::name_of({"testnet", "B"}, {"ops", "key"}));
    EXPECT_EQ(names.size(), 7u);
}

}  // namespace
}  // namespace receiptd::test
