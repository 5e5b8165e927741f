// What a database stores: headers, the trees of accounts, or everything. It is the database's own, and
// changed by `receiptd scope --set`.
#pragma once

#include "base/task.hpp"
#include "storage/database.hpp"
#include "storage/pqxx_shim.hpp"

#include <string>

namespace receiptd::storage {

// Coverage keeps which heights lack what the new scope wants, and which had everything. Returns false where
// it is the scope already. Throws StorageError while a daemon lives: it would go on with the other one.
bool set_scope(pqxx::transaction_base& tx, const std::string& scope);

class PgScope {
public:
    // `database` must outlive it.
    explicit PgScope(Database& database) : database_(database) {}

    base::Task<bool> set(std::string scope);

private:
    Database& database_;
};

}  // namespace receiptd::storage
