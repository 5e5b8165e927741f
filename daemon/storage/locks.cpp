#include "storage/locks.hpp"

#include "storage/errors.hpp"

namespace receiptd::storage {

void take_lock(pqxx::transaction_base& tx, const char* name) {
    if (shim::query(tx, "SELECT FROM locks WHERE name = $1 FOR UPDATE", name).empty())
        throw StorageError(std::string("the table locks has no row '") + name + "': put it back");
}

}  // namespace receiptd::storage
