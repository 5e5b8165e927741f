// ReindexStore on PostgreSQL.
#pragma once

#include "storage/database.hpp"
#include "storage/pqxx_shim.hpp"
#include "storage/reindex_store.hpp"

namespace receiptd::storage {

// The stored heights of the range of which retention has dropped nothing.
base::HeightSet replaceable_heights(pqxx::transaction_base& tx, base::HeightRange range);

class PgReindexStore final : public ReindexStore {
public:
    // `database` must outlive it.
    explicit PgReindexStore(Database& database) : database_(database) {}

    base::Task<base::HeightSet> to_replace(std::int64_t order) override;
    base::Task<bool> replace_rows(std::int64_t order, chain::RowBatch batch) override;
    base::Task<void> fetch_lacking(base::HeightRange included_in) override;
    base::Task<void> judge_again(base::HeightRange included_in) override;

private:
    Database& database_;
};

}  // namespace receiptd::storage
