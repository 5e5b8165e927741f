// BlockStore on PostgreSQL.
#pragma once

#include "storage/block_store.hpp"
#include "storage/database.hpp"

namespace receiptd::storage {

class PgBlockStore final : public BlockStore {
public:
    // `database` must outlive it.
    explicit PgBlockStore(Database& database) : database_(database) {}

    base::Task<Coverage> load_coverage() override;
    std::uint64_t reconnects() const override { return database_.reconnects(); }
    base::Task<void> want(base::HeightRange range) override;
    base::Task<void> follow_since(base::Height height) override;
    base::Task<void> set_one_host_since(std::optional<base::Height> height) override;
    base::Task<base::HeightSet> skip(base::HeightRange range) override;
    base::Task<CommitOutcome> commit(chain::RowBatch batch) override;
    base::Task<DayWord> open_day(std::int64_t day, DayLeave leave) override;
    base::Task<void> record_unavailable(UnavailableHeight height) override;
    base::Task<std::vector<UnavailableHeight>> unavailable_heights(unsigned limit) override;
    base::Task<base::HeightSet> remove_block(base::Height height) override;
    base::Task<std::optional<chain::BlockRef>> stored_block_above(base::Height height) override;
    base::Task<std::optional<chain::BlockRef>> stored_block_below(base::Height height) override;
    base::Task<std::optional<chain::BlockRef>> stored_block_by_hash(std::string hash) override;
    base::Task<std::vector<chain::BlockRef>> newest_blocks(unsigned limit) override;

private:
    Database& database_;
};

}  // namespace receiptd::storage
