#pragma once

#include "storage/database.hpp"
#include "storage/endpoint_store.hpp"

namespace receiptd::storage {

class PgEndpointStore final : public EndpointStore {
public:
    // `database` must outlive it.
    explicit PgEndpointStore(Database& database) : lane_(database.pool.people) {}

    base::Task<std::vector<EndpointRow>> endpoints() override;
    base::Task<Switched> switch_on(std::string endpoint) override;
    base::Task<Switched> pause(std::string endpoint) override;
    base::Task<Switched> resume(std::string endpoint) override;

private:
    // `change`: what an UPDATE sets, and where.
    base::Task<Switched> change(std::string endpoint, std::string change);

    Lane& lane_;
};

}  // namespace receiptd::storage
