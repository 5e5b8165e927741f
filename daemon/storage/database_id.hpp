// The id of a database, and the names that others hear from it: PagerDuty, programs for mail, receivers of
// webhooks. Two databases never give one name to two things, and a database that is restored from a backup
// gives the names that it gave before.
#pragma once

#include "base/task.hpp"
#include "storage/database.hpp"
#include "storage/pqxx_shim.hpp"

#include <string>
#include <vector>

namespace receiptd::storage {

struct Origin {
    std::string network;
    std::string database_id;
};

Origin origin(pqxx::transaction_base& tx);

// 32 hexadecimal digits; equal for equal parts.
std::string name_of(const Origin& origin, const std::vector<std::string>& parts);

struct DatabaseId {
    enum class Is { born, kept, renewed };
    std::string id;
    Is is = Is::kept;
    std::string before;  // that of the database of which this one is a copy; empty: it is none
};

class PgDatabaseIds {
public:
    explicit PgDatabaseIds(Database& database) : lane_(database.pool.following) {}

    // At the start of a daemon. A database that PostgreSQL knows by another system identifier or oid than
    // before is a copy, and has another id from then on.
    base::Task<DatabaseId> settle();
    // This database replaces the one of which it is a copy.
    base::Task<DatabaseId> keep();
    // This database is a copy, whatever PostgreSQL knows it by.
    base::Task<DatabaseId> renew();

private:
    Lane& lane_;
};

}  // namespace receiptd::storage
