// The steps of a migration and their costs, before anything is done (`receiptd migrate --plan`).
//
// A migration says in comments of its own which tables it locks and which it leaves to be read afterwards
// (migrations/README.md); a test compares that with what PostgreSQL says of it. Sizes are the database's own
// estimates.
#pragma once

#include "storage/in_the_way.hpp"
#include "storage/schema_state.hpp"
#include "storage/unfinished.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::storage {

// "-- Locks: receipts ACCESS EXCLUSIVE, watches SHARE" and "-- Afterwards: receipts" at the head of a file.
struct DeclaredWork {
    std::map<std::string, std::string> locks;  // mode by table
    std::vector<std::string> afterwards;       // tables that are read by one partition at a time
};
// Throws StorageError where such a line cannot be read.
DeclaredWork declared_work(const SqlFile& file);

struct TableSize {
    std::string table;
    std::uint64_t partitions = 0;  // 0: it has none
    std::uint64_t rows = 0;        // estimated
    std::uint64_t bytes = 0;       // without indexes
};

struct PlannedStep {
    std::string name;                                      // of a file
    std::vector<std::pair<TableSize, std::string>> locks;  // on tables that are there, with the mode
    std::vector<TableSize> afterwards;
};

struct MigrationPlan {
    MigrationStatus status;
    std::vector<PlannedStep> migrations;  // that are pending
    std::vector<PlannedStep> schema;      // files of schema/ that are applied again
    std::vector<std::string> daemons;     // that live: their places
    std::vector<ForeignObject>
        foreign;               // objects of other people on ours; with any, all steps are one transaction
    std::string transactions;  // the oldest that hold our tables, in words; empty: none
    std::vector<Unfinished> unfinished;  // left by earlier migrations
};

// Changes nothing, and locks nothing against others.
MigrationPlan plan_of(pqxx::transaction_base& tx, const SchemaFiles& files);

// How long it takes to read that much while an index is made of it: about, as disks differ.
std::chrono::seconds time_to_read(std::uint64_t bytes);

}  // namespace receiptd::storage
