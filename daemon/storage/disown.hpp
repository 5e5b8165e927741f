// Transactions whose named user did not sign (chain/tree/user.hpp).
#pragma once

#include "chain/rows/rows.hpp"
#include "storage/pqxx_shim.hpp"

#include <vector>

namespace receiptd::storage {

// The row of the transaction was written before that was known. Where it is not stored yet (another
// connection commits it), its tree becomes a late one, which is judged again.
void disown(pqxx::transaction_base& tx, const std::vector<chain::Disowned>& disowned);

}  // namespace receiptd::storage
