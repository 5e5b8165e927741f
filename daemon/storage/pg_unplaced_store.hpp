// UnplacedStore on PostgreSQL.
#pragma once

#include "storage/database.hpp"
#include "storage/pqxx_shim.hpp"
#include "storage/unplaced_store.hpp"

namespace receiptd::storage {

// In the transaction that stores their block.
void remember_listed(pqxx::transaction_base& tx, const std::vector<chain::ListedReceipt>& listed);

class PgUnplacedStore final : public UnplacedStore {
public:
    // `database` must outlive it.
    explicit PgUnplacedStore(Database& database) : database_(database) {}

    base::Task<UnplacedRound> due_unplaced(unsigned limit) override;
    base::Task<std::uint64_t> unplaced_count(base::HeightRange listed_in) override;
    base::Task<void> postpone_unplaced(std::string receipt_id, std::chrono::milliseconds delay, bool in_vain,
                                       std::string reason) override;
    base::Task<void> place(FoundTransaction found) override;
    base::Task<void> want_outcome(std::string receipt_id, std::string reason) override;
    base::Task<void> store_orphan(std::string receipt_id, chain::RowBatch rows) override;
    base::Task<std::optional<chain::ExecutedAt>> executed_at(std::string block_hash,
                                                             std::string outcome_root) override;

private:
    Database& database_;
};

}  // namespace receiptd::storage
