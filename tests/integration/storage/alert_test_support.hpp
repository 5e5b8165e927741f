// Alerts in a migrated database, and processes that deliver them.
#pragma once

#include "metrics/registry.hpp"
#include "storage/pg_delivery_access.hpp"
#include "storage/pg_delivery_store.hpp"
#include "storage/pg_finding_store.hpp"
#include "store_test_support.hpp"

#include <memory>
#include <string>
#include <vector>

namespace receiptd::test {

// As one process has it: its own leases, its own connections.
struct Process {
    explicit Process(const storage::DatabaseOptions& options) : database(options, series) {}

    std::vector<storage::DueDelivery> claim(unsigned most, const std::string& endpoint = "ops",
                                            std::chrono::seconds lease = std::chrono::seconds(30)) {
        return await(deliveries.claim_deliveries({{endpoint, most}}, lease)).due;
    }
    std::vector<std::string> claimed_ids(unsigned most, const std::string& endpoint = "ops") {
        std::vector<std::string> ids;
        for (const auto& due : claim(most, endpoint)) ids.push_back(due.alert_id);
        return ids;
    }

    metrics::Registry registry;
    metrics::StorageSeries series{registry};
    storage::Database database;
    storage::PgDeliveryStore deliveries{database};
    storage::PgDeliveryAccess people{database};
    storage::PgFindingStore findings{database};
};

inline storage::DeliveryOutcome outcome_of(const std::string& alert_id, const std::string& endpoint = "ops") {
    storage::DeliveryOutcome outcome;
    outcome.alert_id = alert_id;
    outcome.endpoint = endpoint;
    return outcome;
}

inline storage::DeliveryOutcome delivered(const std::string& alert_id) {
    auto outcome = outcome_of(alert_id);
    outcome.delivered = true;
    outcome.status = 200;
    return outcome;
}

inline storage::DeliveryOutcome failed(const std::string& alert_id, std::chrono::milliseconds again_in) {
    auto outcome = outcome_of(alert_id);
    outcome.again_in = again_in;
    outcome.status = 500;
    outcome.error = "HTTP 500";
    return outcome;
}

inline storage::DeliveryOutcome given_up(const std::string& alert_id) {
    auto outcome = outcome_of(alert_id);
    outcome.dead = true;
    outcome.error = "refused";
    return outcome;
}

inline storage::DeliveryFilter only(const std::string& state, const std::string& endpoint = "",
                                    const std::string& alert_id = "") {
    storage::DeliveryFilter filter;
    filter.state = state;
    filter.endpoint = endpoint;
    filter.alert_id = alert_id;
    return filter;
}

class AlertsTest : public MigratedTest {
protected:
    void SetUp() override {
        MigratedTest::SetUp();
        if (IsSkipped()) return;
        process_ = std::make_unique<Process>(database().daemon_options());
        other_ = std::make_unique<Process>(database().daemon_options());
    }
    void TearDown() override {
        other_.reset();
        process_.reset();
    }

    // Due since so many seconds.
    void queue(const std::string& alert_id, int seconds = 1, const std::string& endpoint = "ops") {
        const auto age = std::to_string(seconds);
        execute("INSERT INTO alerts (alert_id, kind, tx_hash, created_at) VALUES ('" + alert_id +
                "', 'failed_receipt', 'T', now() - interval '" + age + " seconds') ON CONFLICT DO NOTHING");
        execute("INSERT INTO deliveries (alert_id, endpoint, next_attempt_at, created_at) VALUES ('" +
                alert_id + "', '" + endpoint + "', now() - interval '" + age +
                " seconds', now() - interval '" + age + " seconds')");
    }
    std::string state_of(const std::string& alert_id, const std::string& endpoint = "ops") {
        return rows("SELECT state, attempts, last_status, last_error FROM deliveries WHERE alert_id = '" +
                    alert_id + "' AND endpoint = '" + endpoint + "'");
    }
    void record(Process& process, storage::DeliveryOutcome outcome) {
        await(process.deliveries.record_delivery(std::move(outcome)));
    }
    std::uint64_t resend(storage::DeliveryFilter filter) {
        return await(process().people.resend(std::move(filter)));
    }
    Process& process() { return *process_; }
    Process& other() { return *other_; }

private:
    std::unique_ptr<Process> process_, other_;
};

}  // namespace receiptd::test
