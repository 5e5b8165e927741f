// The way of a list of transactions back in time: steps of a few partitions each, of which a page takes as
// many as it needs, but not more than a request may.
#pragma once

#include "storage/history_store.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace receiptd::storage {

// A place in the list: rows come before it. Microseconds since 1970.
struct ListPlace {
    std::int64_t at = 0;
    std::string id;  // a hash; empty: everything before that time
};

// Where a list begins and ends, in microseconds.
struct ListBounds {
    ListPlace from;           // the newest
    std::int64_t newest = 0;  // block that is stored
    std::int64_t since = 0;   // included
    std::int64_t oldest = 0;  // block that is stored; single trees may be older
};

// The lower ends of the steps, newest first; each is included, and begins where the one before ends. The last
// one is `since`, unless that is too far away for one request.
std::vector<std::int64_t> steps_of(const ListBounds& bounds, bool has_index);

// A look at one step: it reads so many rows of an index at most, then leaves out what does not fit.
// $1 account, $2 since, $3 and $4 the place, $5 how many rows it may read, $6 method, $7 verdict, $8
// near_status, $9 error_class, $10 how many rows it may return. Each row begins with how many were read, and
// the place of the last one; without rows that fit there is one with nothing else.
std::string look_of(const TransactionFilter& filter);
// Before it, in its transaction: by the index of each row that was read, whatever the planner thinks of
// tables that are small or have no statistics yet.
extern const std::string kByRowsFound;

}  // namespace receiptd::storage
