// Rows of watches, and the cursors that lead to them.
#pragma once

#include "storage/pqxx_shim.hpp"
#include "storage/watch_store.hpp"

#include <map>
#include <string>
#include <vector>

namespace receiptd::storage {

extern const std::string kWatchColumns;  // as watches_of() reads them
inline const std::string kOpenStages =
    "stage IN ('accepted', 'pending', 'included', 'executing', 'completed')";

// As the index of submissions has it (migrations/0003_watching.sql).
inline const std::string kWaitingStages =
    "(stage IN ('accepted', 'pending') OR early_block_hash IS NOT NULL)";

std::vector<Watch> watches_of(const pqxx::result& rows);

// `which` follows FROM watches.
template <class... Parameters>
std::vector<Watch> select_watches(pqxx::transaction_base& tx, const std::string& which,
                                  const Parameters&... parameters) {
    return watches_of(shim::query(tx, "SELECT " + kWatchColumns + " FROM watches " + which, parameters...));
}

// Transitions by hash, each in their order.
std::map<std::string, std::vector<StoredTransition>> transitions_of(
    pqxx::transaction_base& tx, const std::vector<std::string>& tx_hashes);

}  // namespace receiptd::storage
