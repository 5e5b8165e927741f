// Heights that an operator gives up.
#pragma once

#include "base/height_set.hpp"
#include "storage/pqxx_shim.hpp"

namespace receiptd::storage {

// See BlockStore::skip.
base::HeightSet skip_heights(pqxx::transaction_base& tx, base::HeightRange range);
// All that were given up, and are not wanted again since.
base::HeightSet given_up_heights(pqxx::transaction_base& tx);
bool is_skipped(pqxx::transaction_base& tx, base::Height height);

}  // namespace receiptd::storage
