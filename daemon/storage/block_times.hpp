// When blocks of some heights were made (schema/12_block_times.sql). A statement by height has the times as
// parameters: only then PostgreSQL plans, and locks, no partition but theirs.
#pragma once

#include "base/height_set.hpp"
#include "chain/rows/rows.hpp"
#include "storage/pqxx_shim.hpp"
#include "storage/sql_time.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace receiptd::storage {

// All stored blocks of these heights lie between these times, as may others; at most some days longer.
TimeSpan times_around(pqxx::transaction_base& tx, base::HeightRange heights);

// From the first to the last of these heights that is stored, which are not too many. nullopt: none is.
std::optional<TimeSpan> times_of_blocks(pqxx::transaction_base& tx, base::HeightRange heights);

// nullopt: no block of this height is stored.
std::optional<TimeSpan> time_of_block(pqxx::transaction_base& tx, base::Height height);

// From the oldest to the newest of the newest blocks, so many of them. nullopt: no block is stored.
std::optional<TimeSpan> times_of_newest_blocks(pqxx::transaction_base& tx, unsigned count);

// Days since 1970. nullopt: the blocks are of several days, or there are none.
std::optional<std::int64_t> only_day_of(const std::vector<chain::BlockRef>& blocks);
// In the transaction that stores blocks, when it has the lock of coverage: these may be the first of their
// day.
void mark_days(pqxx::transaction_base& tx, const std::vector<chain::BlockRef>& blocks);

}  // namespace receiptd::storage
