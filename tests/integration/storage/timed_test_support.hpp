// Timed rules over blocks of a second each, and a leader that judges them.
#pragma once

#include "declared_rules.hpp"
#include "storage/pg_lease_store.hpp"
#include "storage/pg_timed_rule_store.hpp"
#include "watch_test_support.hpp"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace receiptd::test {
using storage::TimedState;

inline const std::string kAbsentCalls =
    R"({"name":"calls","kind":"absence","receiver":"shop.near","for":"2m"})";
inline const std::string kSlowPayouts =
    R"({"name":"slow","kind":"latency","signer":"payout.near","stage":"completed","over":"30s","window":"5m"})";

// One block a second: times of these tests are heights.
inline base::WallTime time_of(base::Height height) {
    return base::WallTime(base::Duration(kFirstTime + height % 1000 * 1'000'000'000));
}
inline std::string sql_time(base::Height height) { return "timestamptz '" + time_text(height) + "'"; }

class TimedRulesTest : public WatchStoreTest {
protected:
    void SetUp() override {
        WatchStoreTest::SetUp();
        if (IsSkipped()) return;
        second_ = std::make_unique<OpenStore>(database().url());
        epoch_ = take_lease(store());
    }
    void TearDown() override {
        second_.reset();
        WatchStoreTest::TearDown();
    }

    std::int64_t take_lease(OpenStore& daemon) {
        execute("UPDATE leader SET until = '-infinity'");
        storage::PgLeaseStore leases(daemon.database, "host:1", "process");
        return await(leases.hold("")).epoch;
    }
    void declare(const std::vector<std::string>& rules, OpenStore* daemon = nullptr) {
        if (daemon)
            declare_rules(*daemon, {"there:2", "other"}, rules);
        else
            declare_rules(store(), {"here:1"}, rules);
    }

    // Commits the blocks, with a success in each height where there should be one.
    void follow(base::Height from, base::Height until, const std::set<base::Height>& successes = {},
                const std::set<base::Height>& left_out = {}) {
        RowBatch batch;
        for (auto height = from; height <= until; ++height) {
            if (left_out.contains(height)) continue;
            auto block = block_batch(height);
            if (successes.contains(height)) add_success(block, height);
            batch.append(std::move(block));
        }
        commit(std::move(batch));
    }
    static void add_success(RowBatch& block, base::Height height, const std::string& receiver = "shop.near") {
        ReceiptRow row;
        row.receipt_id = "R" + std::to_string(height);
        row.tree_id = row.tx_hash = "T" + std::to_string(height);
        row.receiver_id = receiver;
        add_receipt(block, height, row);
    }
    std::optional<storage::TimedReport> evaluate(base::Height newest, OpenStore* daemon = nullptr,
                                                 std::optional<std::int64_t> epoch = std::nullopt) {
        storage::PgTimedRuleStore timed((daemon ? *daemon : store()).database);
        return await(timed.evaluate(epoch.value_or(epoch_), time_of(newest)));
    }
    TimedState judged(base::Height newest) {
        const auto report = evaluate(newest);
        EXPECT_TRUE(report && report->rules.size() == 1);
        return report && !report->rules.empty() ? report->rules.begin()->first : TimedState::too_many;
    }
    // The rule kAbsentCalls is told.
    void episode_since_220() {
        follow(1, 230, {100});
        evaluate(200);
        evaluate(230);
    }
    std::string told() { return rows("SELECT alert_id, endpoint FROM deliveries ORDER BY 1, 2"); }
    std::string episodes() {
        return rows(
            "SELECT rule, to_char(began_at, 'MI:SS'), coalesce(to_char(ended_at, 'MI:SS'), 'open') "
            "FROM timed_episodes ORDER BY began_at, rule");
    }
    OpenStore& second() { return *second_; }

    std::int64_t epoch_ = 0;

private:
    std::unique_ptr<OpenStore> second_;
};

}  // namespace receiptd::test
