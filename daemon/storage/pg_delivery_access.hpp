#pragma once

#include "storage/database.hpp"
#include "storage/delivery_access.hpp"

namespace receiptd::storage {

class PgDeliveryAccess final : public DeliveryAccess {
public:
    // `database` must outlive it.
    explicit PgDeliveryAccess(Database& database) : lane_(database.pool.people) {}

    base::Task<std::vector<DeliveryRow>> list_deliveries(DeliveryFilter filter) override;
    base::Task<std::uint64_t> count_deliveries(DeliveryFilter filter) override;
    base::Task<std::optional<StoredAlert>> alert(std::string alert_id) override;
    base::Task<std::uint64_t> resend(DeliveryFilter filter) override;

private:
    Lane& lane_;
};

}  // namespace receiptd::storage
