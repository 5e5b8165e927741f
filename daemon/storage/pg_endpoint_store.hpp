#pragma once

#include "storage/database.hpp"
#include "storage/endpoint_store.hpp"

namespace receiptd::storage {

class PgEndpointStore final : public EndpointStore {
public:
    // `database` must outlive it.
    explicit PgEndpointStore(Database& database) : lane_(database.pool.people) {}

    base::Task<std::vector<EndpointRow>> endpoints() override;
    base::Task<SwitchedOn> switch_on(std::string endpoint) override;

private:
    Lane& lane_;
};

}  // namespace receiptd::storage
