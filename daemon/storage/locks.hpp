// Locks that one after the other holds to the end of its transaction: rows of the table locks, which only the
// daemon's role and the owner can lock.
#pragma once

#include "storage/pqxx_shim.hpp"

namespace receiptd::storage {

// `name`: a row of the table.
void take_lock(pqxx::transaction_base& tx, const char* name);

}  // namespace receiptd::storage
