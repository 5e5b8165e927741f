// The partitions of a database for people, and how wide the next ones will be: that is the database's own,
// and the same for all daemons on it.
#pragma once

#include "base/task.hpp"
#include "storage/database.hpp"
#include "storage/lock_room.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::storage {

inline constexpr const char* kAutomaticWidth = "auto";
inline constexpr std::array kPartitionWidths{kAutomaticWidth, "day", "week", "month"};

struct PartitionReport {
    bool is_automatic = true;
    std::string width = "day";                 // of partitions that are made from now on
    std::optional<std::uint64_t> bytes_a_day;  // of closed days; nullopt: no day with blocks is closed yet
    struct Table {
        std::string name;
        std::uint64_t partitions = 0;
        std::uint64_t bytes = 0;  // with indexes
        std::string from_day;     // "2026-11-28"; empty: there is no partition
        std::string until_day;    // not in it
    };
    std::vector<Table> tables;
    LockRoom locks;
};

class PgPartitions {
public:
    explicit PgPartitions(Database& database) : database_(database) {}

    base::Task<PartitionReport> report();
    // `width`: one of kPartitionWidths; a database that nobody has used yet becomes that of this chain.
    // Throws StorageError if it holds another one.
    base::Task<void> set_width(ChainIdentity chain, std::string width);

private:
    base::Task<void> write_width(std::string width);

    Database& database_;
};

}  // namespace receiptd::storage
