// Watches that rules ask for. A row of the hash that another session has inserted, and not committed, holds
// up nothing but its own watch: neither the block that holds the transaction nor another watch waits for it.
#pragma once

#include "chain/rows/rows.hpp"
#include "storage/pqxx_shim.hpp"
#include "storage/set_aside.hpp"

#include <vector>

namespace receiptd::storage {

// In the transaction of the blocks: a watch that is not made yet is found again after a crash.
void want_watches(pqxx::transaction_base& tx, const std::vector<chain::WantedWatch>& watches);

// Makes those that are due. What is held is tried again after seconds.
void make_wanted_watches(pqxx::connection& connection, SetAside& set_aside);

}  // namespace receiptd::storage
