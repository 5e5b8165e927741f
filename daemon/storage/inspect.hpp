// Questions of people to the database through the command line: read-only, one connection, no retries.
#pragma once

#include "base/height_set.hpp"
#include "storage/daemons.hpp"
#include "storage/database_options.hpp"
#include "storage/lock_room.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::storage {

struct StoredSummary {
    std::string network;
    std::string scope;
    std::optional<std::uint64_t> first_height;
    std::optional<std::uint64_t> last_height;
    std::string last_block_time;  // as PostgreSQL prints it; empty: nothing stored
    std::uint64_t covered_heights = 0;
    std::uint64_t gap_heights = 0;
    struct Gap {
        std::uint64_t from_height = 0;
        std::uint64_t to_height = 0;
        std::string reason;
        std::string detail;
    };
    std::vector<Gap> gaps;  // the first 20 ranges
    base::HeightSet skipped_by_operator;
    struct Backfill {
        std::uint64_t from_height = 0;
        std::uint64_t to_height = 0;
        std::uint64_t missing = 0;
        bool leased = false;
        std::vector<std::string> accounts;  // whose rows it fetches; empty: it stores heights
        bool replaces = false;              // or replaces what is stored
    };
    std::vector<Backfill> unfinished_backfills;
    std::vector<FollowedAccount> accounts;  // with scope accounts; not_whole is of stored heights
    std::vector<OtherDaemon> daemons;       // that live
    std::uint64_t pending_trees = 0;
    base::HeightSet judged_before;  // by earlier rules: `receiptd rejudge` has not been there
    std::uint64_t partitions = 0;
    std::uint64_t database_bytes = 0;
    double chunks_a_block = 0;  // new ones, of the last thousand blocks
};

// Throws StorageError when the database cannot be asked.
StoredSummary stored_summary(const DatabaseOptions& database);

// The stored heights of the range of which retention has dropped nothing. Throws as there.
base::HeightSet replaceable_heights(const DatabaseOptions& database, base::HeightRange range);

// What a daemon needs of a server and a database, before anything is stored.
struct DatabaseFacts {
    std::string where;           // "host:port/database"
    std::string server_version;  // "15.10 (Debian 15.10-0+deb12u1)"
    unsigned server_number = 0;  // 150010
    std::string user;
    bool may_create = false;  // tables in the schema that comes first
    bool is_replica = false;
    unsigned free_connections = 0;  // for a role that is no superuser
    LockRoom locks;
    std::string network;  // of what is stored; empty: nothing is
    std::string scope;
    std::vector<std::string> pending_migrations;
    std::string schema_problem;  // why this program cannot use the database; empty: it can
};

// Throws StorageError when the database cannot be asked.
DatabaseFacts database_facts(const DatabaseOptions& database);

}  // namespace receiptd::storage
