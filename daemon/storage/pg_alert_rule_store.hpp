#pragma once

#include "storage/alert_rule_store.hpp"
#include "storage/database.hpp"

namespace receiptd::storage {

class PgAlertRuleStore final : public AlertRuleStore {
public:
    // `database` must outlive it.
    explicit PgAlertRuleStore(Database& database) : lane_(database.pool.people) {}

    base::Task<std::vector<RuleRow>> rules() override;
    base::Task<std::vector<ListRow>> lists() override;
    base::Task<std::optional<std::vector<std::string>>> accounts(std::string list, std::string after,
                                                                 unsigned limit) override;
    base::Task<Listing> set_listed(std::string list, std::string account_id, bool is_listed) override;

private:
    Lane& lane_;
};

}  // namespace receiptd::storage
