// Trees of whole blocks that are not over become pending: pending_trees.
#pragma once

#include "storage/pqxx_shim.hpp"
#include "storage/tree_store.hpp"

#include <cstdint>

namespace receiptd::storage {

// See TreeStore::take_over_trees() and place_silent_trees(). They return how many.
std::uint64_t place_unfinished(pqxx::transaction_base& tx, base::Height from);
unsigned place_silent(pqxx::transaction_base& tx, base::HeightRange included_in, unsigned most);

}  // namespace receiptd::storage
