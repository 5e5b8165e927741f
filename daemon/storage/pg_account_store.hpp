// AccountStore on PostgreSQL.
#pragma once

#include "storage/account_store.hpp"
#include "storage/database.hpp"

namespace receiptd::storage {

class PgAccountStore final : public AccountStore {
public:
    // `database` must outlive it.
    explicit PgAccountStore(Database& database) : database_(database) {}

    base::Task<LackingAccounts> lacking(std::vector<std::string> accounts) override;
    base::Task<std::vector<chain::BlockRef>> stored_blocks(base::HeightRange heights,
                                                           unsigned limit) override;
    base::Task<bool> commit_rows_of(std::vector<std::string> accounts, chain::RowBatch batch,
                                    base::HeightSet whole) override;
    base::Task<void> whole_at(std::vector<std::string> accounts, base::HeightSet heights) override;
    base::Task<bool> settle_above(std::vector<std::string> accounts, base::Height last,
                                  bool whole_trees) override;

    // account_coverage.hpp
    base::Task<bool> forget(std::string account);

private:
    Database& database_;
};

}  // namespace receiptd::storage
