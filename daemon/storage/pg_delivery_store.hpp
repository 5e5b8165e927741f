// DeliveryStore on PostgreSQL.
#pragma once

#include "storage/database.hpp"
#include "storage/delivery_store.hpp"
#include "storage/settled_places.hpp"
#include "storage/silence_book.hpp"

#include <string>
#include <vector>

namespace receiptd::storage {

class PgDeliveryStore final : public DeliveryStore {
public:
    // `database` must outlive it.
    explicit PgDeliveryStore(Database& database) : database_(database), lane_(database.pool.alerts) {}

    base::Task<std::vector<std::string>> serve_endpoints(std::vector<ServedEndpoint> endpoints,
                                                         Serving serving) override;
    base::Task<Claimed> claim_deliveries(std::vector<EndpointRoom> rooms,
                                         std::chrono::seconds lease) override;
    base::Task<unsigned> tend_storms(std::vector<EndpointStorm> endpoints) override;
    base::Task<std::map<std::string, StoredCause>> causes(std::vector<DueDelivery> deliveries) override;
    base::Task<std::map<std::string, KeptPayload>> keep_payloads(
        std::map<std::string, std::string> payloads) override;
    base::Task<void> record_delivery(DeliveryOutcome outcome) override;
    base::Task<std::optional<std::chrono::milliseconds>> next_delivery_in(
        std::vector<std::string> endpoints) override;
    base::Task<std::vector<DeliveryBacklog>> delivery_backlog() override;

private:
    Database& database_;
    Lane& lane_;
    SilenceBook silences_;
    SettledPlaces places_;
    unsigned tended_ = 0;
};

}  // namespace receiptd::storage
