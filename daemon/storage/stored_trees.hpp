// Trees of transactions by their hashes, wherever they are stored.
#pragma once

#include "storage/pqxx_shim.hpp"
#include "storage/set_aside.hpp"
#include "storage/watch_store.hpp"

#include <map>
#include <string>
#include <vector>

namespace receiptd::storage {

// One of which nothing is stored is left out; one that cannot be read is empty, and says so.
std::map<std::string, StoredTree> stored_trees(pqxx::connection& connection,
                                               const std::vector<std::string>& tx_hashes,
                                               SetAside& set_aside);

}  // namespace receiptd::storage
