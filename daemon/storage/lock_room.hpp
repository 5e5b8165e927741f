// The server's table of locks: PostgreSQL locks each partition and each index that a statement may read, and
// a statement without a time may read all of them.
#pragma once

#include "storage/pqxx_shim.hpp"

#include <cstdint>
#include <string>

namespace receiptd::storage {

struct LockRoom {
    std::uint64_t partitions = 0;  // of all history tables
    std::uint64_t needed =
        0;                   // locks of a statement or dump that leaves out none of them: with their indexes
    std::uint64_t room = 0;  // locks of all sessions together
    std::uint64_t advised = 0;  // max_locks_per_transaction that gives twice the needed ones

    // Other sessions have locks, too.
    bool is_tight() const { return needed > room / 4 * 3; }
    std::string in_words() const;
};

LockRoom lock_room(pqxx::transaction_base& tx);

}  // namespace receiptd::storage
