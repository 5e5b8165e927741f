// Deletes trees that nobody follows any more.
#pragma once

#include "base/height_set.hpp"
#include "base/task.hpp"
#include "storage/database.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace receiptd::storage {

struct ForgottenRows {
    std::uint64_t trees = 0;
    std::uint64_t receipts = 0;  // of these
    std::uint64_t kept = 0;      // trees that another followed account, or a watch, touches, too
    std::uint64_t running = 0;   // trees that are not over: their next rows would be half of a tree

    void add(const ForgottenRows& other);
};

class PgForgetRows {
public:
    // `database` must outlive it.
    explicit PgForgetRows(Database& database) : database_(database) {}

    // All stored ones; nullopt: there are none, or the scope is not accounts, and nothing is to be deleted.
    base::Task<std::optional<base::HeightRange>> heights();
    // Trees with rows of the account at these heights. Each is deleted as a whole, wherever its rows lie,
    // some of them in one database transaction; `only_count`: nothing is deleted. Throws StorageError where
    // the account is followed.
    base::Task<ForgottenRows> forget(std::string account, base::HeightRange heights, bool only_count);

private:
    Database& database_;
};

}  // namespace receiptd::storage
