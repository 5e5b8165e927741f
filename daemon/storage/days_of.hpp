// The days that rows of some ids may lie on (schema/11_days_of_ids.sql). A statement by id has them as
// constants in it: only then PostgreSQL plans, and locks, no partition but theirs.
#pragma once

#include "storage/pqxx_shim.hpp"

#include <string>
#include <vector>

namespace receiptd::storage {

// The days are those of when it is made: rows that are committed later may lie on others.
class DaysOf {
public:
    // Hashes of transactions or of blocks, and ids of trees, receipts or data.
    DaysOf(pqxx::transaction_base& tx, const std::vector<std::string>& ids);
    // All executions of these transactions.
    static DaysOf trees_of(pqxx::transaction_base& tx, const std::vector<std::string>& tx_hashes);

    // A condition, in brackets.
    std::string have(const std::string& time_column) const;

private:
    explicit DaysOf(const pqxx::result& times);

    std::vector<std::string> from_, to_;
};

}  // namespace receiptd::storage
