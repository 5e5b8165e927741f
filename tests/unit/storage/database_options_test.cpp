#include "storage/database_options.hpp"

#include "storage/errors.hpp"
#include "storage/fault.hpp"
#include "storage/pqxx_shim.hpp"

#include <gmock/gmock.h>

namespace receiptd::storage {
namespace {

using testing::HasSubstr;
using testing::Not;

ConnectionString parsed(const std::string& url) { return ConnectionString(base::Secret(url)); }

std::string refusal(const std::string& url) {
    try {
        parsed(url);
    } catch (const StorageError& e) {
        return e.what();
    }
    return "accepted";
}

TEST(ConnectionString, SaysWhereTheDatabaseIsWithoutItsPassword) {
    const auto database = parsed("postgresql://anna:geheim@db.example:5433/chain?sslmode=require");
    EXPECT_EQ(database.where(), "db.example:5433/chain");
    EXPECT_THAT(database.conninfo().reveal(), HasSubstr("password='geheim'"));
    EXPECT_THAT(database.conninfo().reveal(), HasSubstr("sslmode='require'"));
}

TEST(ConnectionString, TakesKeywordsAndQuotesWhatMustBe) {
    const auto database = parsed(R"(host=/run/postgresql dbname=chain password='it\'s')");
    EXPECT_EQ(database.where(), "/run/postgresql:5432/chain");
    EXPECT_THAT(database.conninfo().reveal(), HasSubstr(R"(password='it\'s')"));
}

TEST(ConnectionString, HasDefaultsThatAUrlMayChange) {
    EXPECT_THAT(parsed("postgresql://h/d").conninfo().reveal(), HasSubstr("application_name='receiptd'"));
    EXPECT_THAT(parsed("postgresql://h/d?application_name=other").conninfo().reveal(),
                HasSubstr("application_name='other'"));
}

TEST(ConnectionString, ScrubsThePasswordInBothItsForms) {
    const auto database = parsed("postgresql://anna:a%40b%2Fc@h/d");
    EXPECT_EQ(database.scrub("bad a@b/c and a%40b%2Fc!"), "bad *** and ***!");
}

TEST(ConnectionString, KnowsWhetherTheWayToTheDatabaseMayBeRead) {
    for (const char* url : {"postgresql://h/d", "postgresql://h/d?sslmode=prefer",
                            "postgresql://h/d?sslmode=disable", "host=localhost,db.example dbname=d",
                            "hostaddr=10.0.0.1 host=localhost", "postgresql://[2001:db8::1]/d"})
        EXPECT_TRUE(parsed(url).may_be_read_on_the_way()) << url;
    for (const char* url : {"postgresql:///d", "postgresql://localhost/d", "postgresql://127.0.0.1:5433/d",
                            "postgresql://[::1]/d", "host=/run/postgresql dbname=d",
                            "postgresql://h/d?sslmode=require", "postgresql://h/d?sslmode=verify-full"})
        EXPECT_FALSE(parsed(url).may_be_read_on_the_way()) << url;
}

TEST(ConnectionString, RefusesAUrlWhosePasswordSpillsWithoutQuotingIt) {
    for (const char* url : {"postgresql://anna:ge@heim@h/d", "postgresql://anna:ge/heim@h/d",
                            "postgresql://anna:ge:heim@h:x/d", "postgresql://anna:geheim%@h/d", "geheim"}) {
        EXPECT_THAT(refusal(url), HasSubstr("percent-encode")) << url;
        EXPECT_THAT(refusal(url), Not(HasSubstr("heim"))) << url;
    }
}

TEST(Fault, IsAnOutageWhenTheServerGoesAndTellsASetupFromAValue) {
    for (const char* code : {"08006", "57P01", "57P02", "57P03", "53100", "53300", "25006"})
        EXPECT_EQ(fault_kind(code), FaultKind::outage) << code;
    for (const char* code : {"40001", "40P01", "55P03", "57014"})
        EXPECT_EQ(fault_kind(code), FaultKind::retry) << code;
    for (const char* code : {"42P01", "42501", "42703", "28P01", "3D000"})
        EXPECT_EQ(fault_kind(code), FaultKind::setup) << code;
    for (const char* code : {"23505", "22P02", "22003", "21000", "54000", "54001"})
        EXPECT_EQ(fault_kind(code), FaultKind::refused) << code;
    for (const char* code : {"XX000", "XX002", "55000", "0A000", "P0001", "ZZ999", ""})
        EXPECT_EQ(fault_kind(code), FaultKind::unknown) << code;
}

TEST(Fault, OfTheServerIsNeverPermanent) {
    const auto database = parsed("postgresql://h/d");
    const auto kind = [&](const auto& error) {
        return classify(std::make_exception_ptr(error), true, database).kind;
    };
    EXPECT_EQ(kind(pqxx::sql_error("could not write init file", "connect", "XX000")), FaultKind::unknown);
    EXPECT_EQ(kind(pqxx::sql_error("?", "SELECT")), FaultKind::unknown);
    EXPECT_EQ(kind(pqxx::failure("lost synchronization with server")), FaultKind::unknown);
    EXPECT_EQ(kind(std::logic_error("a mistake of this program")), FaultKind::permanent);
}

TEST(Fault, IsOfTheConnectionWhereTheServerSaysNothingOfTheWork) {
    const auto of = [](const char* code) { return is_of_the_connection(Fault{fault_kind(code), code, ""}); };
    for (const char* code : {"08006", "57P01", "57P03", "25P03"}) EXPECT_TRUE(of(code)) << code;
    for (const char* code : {"53100", "53300", "58030", "25006", "XX000", "42P01"})
        EXPECT_FALSE(of(code)) << code;
    EXPECT_TRUE(is_of_the_connection(Fault{FaultKind::outage, "", ""}));
}

TEST(Fault, SaysWhatToDo) {
    const auto database = parsed("postgresql://anna:geheim@h/d");
    const auto fault = fault_of("42501", "ERROR: permission denied\nfor geheim\n", database);
    EXPECT_THAT(fault.text, testing::StartsWith("ERROR: permission denied for ***; "));
    EXPECT_THAT(fault.text, HasSubstr("member of receiptd_daemon"));
}

}  // namespace
}  // namespace receiptd::storage
