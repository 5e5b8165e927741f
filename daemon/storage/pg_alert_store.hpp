// The queue of alerts, findings and the stream on PostgreSQL. Findings are listed for people, who do not wait
// long.
#pragma once

#include "storage/alert_store.hpp"
#include "storage/database.hpp"

#include <string>
#include <vector>

namespace receiptd::storage {

class PgAlertStore final : public AlertStore {
public:
    // `database` must outlive it.
    explicit PgAlertStore(Database& database) : database_(database) {}

    // First call of a daemon: makes the stream of a restored database one that goes on.
    base::Task<void> prepare();
    // For how long the oldest line of the stream has been waiting for older transactions of the cluster,
    // which hold it back; 0: none waits.
    base::Task<std::chrono::milliseconds> stream_held_up();

    base::Task<void> serve_endpoints(std::vector<std::string> names, Serving serving) override;
    base::Task<std::vector<DueDelivery>> claim_deliveries(std::vector<EndpointRoom> rooms,
                                                          std::chrono::seconds lease) override;
    base::Task<std::map<std::string, StoredCause>> causes(std::vector<DueDelivery> deliveries) override;
    base::Task<std::map<std::string, std::string>> keep_payloads(
        std::map<std::string, std::string> payloads) override;
    base::Task<void> record_delivery(DeliveryOutcome outcome) override;
    base::Task<std::vector<DeliveryRow>> list_deliveries(DeliveryFilter filter) override;
    base::Task<std::uint64_t> resend(DeliveryFilter filter) override;
    base::Task<std::optional<std::chrono::milliseconds>> next_delivery_in(
        std::vector<std::string> endpoints) override;
    base::Task<std::vector<DeliveryBacklog>> delivery_backlog() override;
    base::Task<std::vector<chain::Finding>> list_findings(FindingFilter filter) override;
    base::Task<std::vector<StreamEvent>> stream_events(std::int64_t after, unsigned limit) override;
    base::Task<std::int64_t> last_stream_event() override;
    base::Task<std::int64_t> highest_stream_id() override;

private:
    Database& database_;
};

}  // namespace receiptd::storage
