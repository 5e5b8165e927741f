// unplaced_receipts on PostgreSQL, on a lane of their own: most of them come with a tree by themselves.
#pragma once

#include "storage/lane.hpp"
#include "storage/partitions.hpp"
#include "storage/unplaced_store.hpp"

#include <string>

namespace receiptd::storage {

class PgUnplacedStore final : public UnplacedStore {
public:
    // Connects on first use. Both (PgStore's) must outlive it.
    PgUnplacedStore(SessionContext& sessions, PartitionKeeper& partitions);
    // Stops the sessions and waits for its thread; nothing may await this store any more.
    ~PgUnplacedStore() override;

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
    SessionContext& sessions_;
    PartitionKeeper& partitions_;
    Lane lane_;
};

}  // namespace receiptd::storage
