#include "storage/disown.hpp"

#include "storage/sql_time.hpp"

#include <string>

namespace receiptd::storage {
namespace {

// Times in rows are rounded to microseconds.
const std::string kSame = "t.tx_hash = $1 AND t.block_time BETWEEN " +
                          time_of_nanoseconds(3, std::chrono::seconds(-1)) + " AND " +
                          time_of_nanoseconds(3, std::chrono::seconds(1));

const std::string kDisown = "UPDATE transactions t SET user_id = NULL, claimed_user_id = $2 WHERE " + kSame;

const std::string kLater = "INSERT INTO late_trees (tx_hash, since, history) SELECT $1, " +
                           time_of_nanoseconds(3, std::chrono::seconds(-1)) +
                           ", false WHERE $2 <> '' ON CONFLICT DO NOTHING";

}  // namespace

void disown(pqxx::transaction_base& tx, const std::vector<chain::Disowned>& disowned) {
    for (const auto& [tx_hash, claimed_user_id, timestamp_nanosec] : disowned)
        if (shim::query(tx, kDisown, tx_hash, claimed_user_id, timestamp_nanosec).affected_rows() == 0)
            shim::query(tx, kLater, tx_hash, claimed_user_id, timestamp_nanosec);
}

}  // namespace receiptd::storage
