// Trees of which receipts were stored that no follower judged as they went by.
#pragma once

#include "storage/pqxx_shim.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace receiptd::storage {

// In the transaction that stores rows of these trees. `timestamp_nanosec`: of the first of these rows.
// `history`: a backfill brought them.
struct LateRows {
    std::uint64_t timestamp_nanosec = 0;
    bool history = false;
    bool are_all = false;  // of these trees: whoever still looks for more of them need not wait
};
void remember_late(pqxx::transaction_base& tx, const std::set<std::string>& tx_hashes, const LateRows& rows);
// Forgets trees that are judged. More of a tree that is not over makes it late again.
void forget_late(pqxx::transaction_base& tx, const std::vector<std::string>& tx_hashes);
// The same of one that is stored as a whole. Nothing where its hash was executed again: the other execution
// may be the late one.
void forget_late_tree(pqxx::transaction_base& tx, const std::string& tx_hash);

// Makes trees late of which resumes have found their tree, now whether a yield timed out can be told. SQL to
// stand behind WITH. `adopted`: a table expression with tx_hash (NULL: not known), block_height, block_time
// and is_promise_resume of data.
std::string late_by_resumes(const std::string& adopted);

}  // namespace receiptd::storage
