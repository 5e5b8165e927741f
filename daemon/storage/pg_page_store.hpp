// PageStore on PostgreSQL, on the connections for people.
#pragma once

#include "storage/database.hpp"
#include "storage/page_store.hpp"

#include <string>
#include <vector>

namespace receiptd::storage {

class PgPageStore final : public PageStore {
public:
    // `database` must outlive it.
    explicit PgPageStore(Database& database) : database_(database) {}

    base::Task<std::vector<ReceiptDetail>> receipt_details(std::string tree_id,
                                                           std::vector<std::string> receipt_ids,
                                                           std::size_t most_bytes) override;
    base::Task<RecentCounts> recent_counts() override;
    base::Task<std::vector<FailureGroup>> failure_groups(FailureFilter filter, unsigned limit) override;
    base::Task<std::vector<FailureCount>> failure_trend(FailureFilter filter, unsigned steps) override;
    base::Task<std::vector<MethodHealth>> contract_health(std::string contract_id, unsigned hours,
                                                          unsigned limit) override;
    base::Task<std::optional<AlertGroup>> alert_group(std::int64_t group_id) override;

private:
    Database& database_;
};

}  // namespace receiptd::storage
