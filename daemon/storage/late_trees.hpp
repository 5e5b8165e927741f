// Trees of which receipts were stored that no follower judged as they went by.
#pragma once

#include "storage/pqxx_shim.hpp"

#include <cstdint>
#include <set>
#include <string>

namespace receiptd::storage {

// In the transaction that stores rows of these trees. `timestamp_nanosec`: of the first of these rows.
// `history`: a backfill brought them.
void remember_late(pqxx::transaction_base& tx, const std::set<std::string>& tx_hashes,
                   std::uint64_t timestamp_nanosec, bool history);

// Makes trees late of which resumes have found their tree, now whether a yield timed out can be told. SQL to
// stand behind WITH. `adopted`: a table expression with tx_hash (NULL: not known), block_height, block_time
// and is_promise_resume of data.
std::string late_by_resumes(const std::string& adopted);

}  // namespace receiptd::storage
