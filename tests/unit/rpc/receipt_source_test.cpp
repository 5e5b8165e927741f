#include "rpc/receipt_source.hpp"

#include "support/read_file.hpp"
#include "unit/rpc/world.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

namespace receiptd::rpc {
namespace {

using namespace testing;

const std::string kReceipt = "A2dCfgBTjreZBEXt3JsWXda11FB7vRgtQAHzuV5DzpW2";
const std::string kOriginTx = "4XXtr7JrRNaquPXe7RZ1PSgJ645dgSpsRyE6gmvhvQV4";
const std::string kHeadHash = "72JMWj22x3ze1pUFQd6aE8EffpsWNtHezeqgxGENyMvc";

class Receipts : public ::testing::Test {
protected:
    ReceiptSource& source() {
        if (!source_) source_ = std::make_unique<RpcReceiptSource>(world.pool, world.router());
        return *source_;
    }
    ReceiptSource::OriginResult origin() { return world.run(source().origin(kReceipt, Priority::watch)); }
    ReceiptSource::ProofResult outcome(const std::string& id = kReceipt) {
        return world.run(source().outcome(id, "b.near", kHeadHash, Priority::watch));
    }
    static FakeHost::Script says(const Transport::Reply& reply) {
        return [reply](const auto&) { return reply; };
    }
    World world;

private:
    std::unique_ptr<ReceiptSource> source_;
};

TEST_F(Receipts, TellTheirTransaction) {
    auto& host = world.host("main", HostKind::regular);
    host.script = says(result(R"({"transaction_hash":")" + kOriginTx + R"(","sender_account_id":"a.near"})"));
    const auto told = origin();
    ASSERT_TRUE(std::holds_alternative<ReceiptSource::Origin>(told));
    EXPECT_EQ(std::get<ReceiptSource::Origin>(told).tx_hash, kOriginTx);
    EXPECT_EQ(std::get<ReceiptSource::Origin>(told).sender_id, "a.near");
    EXPECT_EQ(host.asked("EXPERIMENTAL_receipt_to_tx"), 1u);
}

TEST_F(Receipts, AreLookedForInTheArchiveIfTheRegularHostCannotTell) {
    for (const char* cause : {"UNKNOWN_RECEIPT", "DEPTH_EXCEEDED", "OUTCOMES_NOT_STORED", "UNSUPPORTED",
                              "BUDGET_EXCEEDED", "METHOD_NOT_FOUND"}) {
        World own;
        own.host("main", HostKind::regular).script = says(error(cause));
        own.host("old", HostKind::archival).script =
            says(result(R"({"transaction_hash":")" + kOriginTx + R"(","sender_account_id":"a.near"})"));
        RpcReceiptSource source(own.pool, own.router());
        const auto told = own.run(source.origin(kReceipt, Priority::watch));
        EXPECT_TRUE(std::holds_alternative<ReceiptSource::Origin>(told)) << cause;
    }
}

TEST_F(Receipts, ThatNobodyKnowsAreUnknown) {
    world.host("main", HostKind::regular).script = says(error("UNKNOWN_RECEIPT"));
    world.host("old", HostKind::archival).script = says(error("DEPTH_EXCEEDED"));
    const auto told = origin();
    ASSERT_TRUE(std::holds_alternative<ReceiptSource::Unknown>(told));
    EXPECT_FALSE(std::get<ReceiptSource::Unknown>(told).not_offered);
}

TEST_F(Receipts, CannotBeAskedForWhereNobodyOffersIt) {
    world.host("main", HostKind::regular).script =
        says(error("METHOD_NOT_FOUND", 400, "REQUEST_VALIDATION_ERROR"));
    const auto told = origin();
    ASSERT_TRUE(std::holds_alternative<ReceiptSource::Unknown>(told));
    EXPECT_TRUE(std::get<ReceiptSource::Unknown>(told).not_offered);
}

TEST_F(Receipts, AFaultIsNoAnswer) {
    world.host("main", HostKind::regular).script = says(broken(net::TransportFault::reset));
    EXPECT_TRUE(std::holds_alternative<Unavailable>(origin()));
}

TEST_F(Receipts, ATransactionThatIsNoHashIsNotBelieved) {
    world.host("main", HostKind::regular).script =
        says(result(R"({"transaction_hash":"nonsense","sender_account_id":"a.near"})"));
    EXPECT_TRUE(std::holds_alternative<Unavailable>(origin()));
}

TEST_F(Receipts, TheirOutcomesAreBelievedIfTheyAreProven) {
    auto vector = nlohmann::json::parse(
        test::read_file(RECEIPTD_TEST_DATA "/vectors/light_client_proofs.json"))["vectors"][0];
    const std::string id = vector["outcome_proof"]["id"];
    auto& host = world.host("main", HostKind::regular);
    host.script = says(result(vector.dump()));
    const auto told = outcome(id);
    ASSERT_TRUE(std::holds_alternative<ReceiptSource::Proof>(told));
    EXPECT_EQ(host.asked(R"("light_client_head":")" + kHeadHash), 1u);
    vector["outcome_proof"]["outcome"]["gas_burnt"] = 1;
    host.script = says(result(vector.dump()));
    EXPECT_TRUE(std::holds_alternative<Unavailable>(outcome(id)));
}

TEST_F(Receipts, TheirOutcomesMayNotBeConfirmedYet) {
    auto& host = world.host("main", HostKind::regular);
    host.script = says(error("NOT_CONFIRMED"));
    EXPECT_TRUE(std::holds_alternative<NotYet>(outcome()));
    host.script = says(error("UNKNOWN_TRANSACTION_OR_RECEIPT"));
    EXPECT_TRUE(std::holds_alternative<ReceiptSource::Unknown>(outcome()));
}

}  // namespace
}  // namespace receiptd::rpc
