// What migrations leave to be done after them, because it reads whole tables: constraints that they add NOT
// VALID, and the parts of indexes that they create ON ONLY a partitioned table (migrations/README.md).
//
// It is done by one partition at a time, beside readers and writers, by whoever owns the tables. The
// catalogue says what is left, so whoever is killed has lost one partition's work at most.
#pragma once

#include "storage/pqxx_shim.hpp"

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace receiptd::storage {

// A constraint or an index that is not complete yet.
struct Unfinished {
    std::string table;
    std::string name;
    std::uint64_t tables_left = 0;  // partitions, or 1: the table itself
    std::uint64_t bytes_left = 0;   // to be read
};
std::vector<Unfinished> unfinished(pqxx::transaction_base& tx);

class Finisher {
public:
    // Does what is left until there is no time left, but at least one piece of it. What does not go now,
    // because somebody holds a table, is told in the log and left for the next call; a constraint that rows
    // break is told once. Does nothing but say so where this user does not own the tables.
    void round(pqxx::connection& connection, const std::function<bool()>& is_time_left);

private:
    std::set<std::string> broken_;  // names of what rows break
    bool told_of_owner_ = false;
};

}  // namespace receiptd::storage
