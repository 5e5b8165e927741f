// New rows of watches.
#pragma once

#include "storage/pqxx_shim.hpp"
#include "storage/watch_store.hpp"

#include <string>
#include <vector>

namespace receiptd::storage {

// In a transaction of their own, as WatchAccess::add_watches() says.
std::vector<std::string> insert_watches(pqxx::connection& connection, const std::vector<NewWatch>& watches);
// The same within a transaction.
std::vector<std::string> insert_watches(pqxx::transaction_base& tx, const std::vector<NewWatch>& watches);

}  // namespace receiptd::storage
