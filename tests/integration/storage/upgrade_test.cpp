// A database from before there were rules, with alerts in flight, and the daemon of today.
#include "storage/pg_delivery_store.hpp"
#include "store_test_support.hpp"

#include <algorithm>

namespace receiptd::test {
namespace {

constexpr auto kWithoutRules = "0024";

class Upgrade : public DatabaseTest {
protected:
    void SetUp() override {
        DatabaseTest::SetUp();
        if (IsSkipped()) return;
        storage::SchemaFiles older;
        older.schema.clear();  // today's views are of today's tables
        const auto newer =
            std::find_if(older.migrations.begin(), older.migrations.end(),
                         [](const auto& file) { return file.name.substr(0, 4) > kWithoutRules; });
        older.migrations.erase(newer, older.migrations.end());
        storage::migrate(database().options(), kReadonlyRole, older);
        execute(
            "INSERT INTO endpoints (name) VALUES ('ops');"
            "INSERT INTO alerts (alert_id, kind, tx_hash, payload, telling, handled) VALUES "
            "  ('failed_receipt:waiting', 'failed_receipt', 'T', '{\"as\": \"it was\"}', 1, false), "
            "  ('failed_receipt:sent', 'failed_receipt', 'T', '{}', 1, false), "
            "  ('failed_receipt:dead', 'failed_receipt', 'T', '{}', 1, false); "
            "INSERT INTO deliveries (alert_id, endpoint, state, attempts, last_status, delivered_at) VALUES "
            "  ('failed_receipt:waiting', 'ops', 'pending', 2, 500, NULL), "
            "  ('failed_receipt:sent', 'ops', 'delivered', 1, 204, now()), "
            "  ('failed_receipt:dead', 'ops', 'dead', 10, 500, NULL)");
        storage::migrate(database().options(), kReadonlyRole);
        open_ = std::make_unique<OpenStore>(database().url());
        await(open_->check_identity("testnet", "all"));
        storage::PgDeliveryStore deliveries(open_->database);
        await(deliveries.serve_endpoints({{"ops", {"default"}}}, storage::Serving::begins));
    }
    void TearDown() override { open_.reset(); }

    OpenStore& store() { return *open_; }

    // As whoever indexes the blocks again finds them.
    void find_again(const std::vector<std::string>& receipts) {
        auto batch = block_batch(103);
        for (const auto& receipt : receipts) {
            chain::Finding finding;
            finding.kind = chain::kind::kFailedReceipt;
            finding.receipt_id = receipt;
            finding.identify();
            finding.at.timestamp_nanosec = kFirstTime + 103'000'000'000;
            add_line(batch, Table::findings,
                     {finding.finding_id, finding.kind, "T", "T", receipt, "promise", "f", "dex.near", "swap",
                      "alice.near", "contract_panic", "no", "103", time_text(103)});
            batch.findings.push_back(std::move(finding));
        }
        EXPECT_EQ(await(store().blocks.commit(std::move(batch))), CommitOutcome::committed);
    }
    std::string deliveries() {
        return rows("SELECT alert_id, endpoint, state, attempts FROM deliveries ORDER BY 1, 2");
    }

private:
    std::unique_ptr<OpenStore> open_;
};

TEST_F(Upgrade, SendsNothingTwiceThatIsFoundAgain) {
    const auto before = deliveries();
    find_again({"waiting", "sent", "dead"});
    EXPECT_EQ(deliveries(), before);
    EXPECT_EQ(value("SELECT count(*) FROM alerts"), "3");
}

TEST_F(Upgrade, SendsWhatIsNew) {
    find_again({"sent", "new"});
    EXPECT_EQ(rows("SELECT alert_id, rules FROM deliveries WHERE rules IS NOT NULL"),
              "failed_receipt:new|{default}\n");
}

TEST_F(Upgrade, GoesOnWithWhatWaitedAsItWas) {
    storage::PgDeliveryStore queue(store().database);
    const auto due = await(queue.claim_deliveries({{"ops", 10}}, std::chrono::seconds(30))).due;
    ASSERT_EQ(due.size(), 1u);
    EXPECT_EQ(due[0].alert_id, "failed_receipt:waiting");
    EXPECT_EQ(due[0].payload, "{\"as\": \"it was\"}");
    EXPECT_EQ(due[0].attempts, 2u);
    EXPECT_TRUE(due[0].rules.empty());
}

}  // namespace
}  // namespace receiptd::test
