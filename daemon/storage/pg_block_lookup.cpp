// Blocks that are stored, and the days that they may have.
#include "storage/block_times.hpp"
#include "storage/days_of.hpp"
#include "storage/pg_account_store.hpp"
#include "storage/pg_block_store.hpp"
#include "storage/pqxx_shim.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace receiptd::storage {
namespace {

// `which`: what comes after FROM blocks.
template <class... Parameters>
std::vector<chain::BlockRef> read_blocks(pqxx::transaction_base& tx, const std::string& which,
                                         const Parameters&... parameters) {
    const auto rows = shim::query(tx,
                                  "SELECT block_height, block_hash, prev_hash, prev_height, "
                                  "timestamp_nanosec, epoch_id FROM blocks " +
                                      which,
                                  parameters...);
    std::vector<chain::BlockRef> blocks;
    for (const auto& row : rows) {
        auto& block = blocks.emplace_back();
        block.height = row[0].template as<base::Height>();
        block.hash = row[1].template as<std::string>();
        block.prev_hash = row[2].template as<std::string>();
        if (!row[3].is_null()) block.prev_height = row[3].template as<base::Height>();
        block.timestamp_nanosec = row[4].template as<std::uint64_t>();
        if (!row[5].is_null()) block.epoch_id = row[5].template as<std::string>();
    }
    return blocks;
}

std::optional<chain::BlockRef> first_of(std::vector<chain::BlockRef> blocks) {
    if (blocks.empty()) return std::nullopt;
    return std::move(blocks.front());
}

// `nearest`: block_above or block_below.
std::optional<chain::BlockRef> nearest_block(pqxx::transaction_base& tx, const std::string& nearest,
                                             base::Height height) {
    const auto found =
        shim::query(tx, "SELECT block_height, block_time::text FROM " + nearest + "($1)", height);
    if (found.empty()) return std::nullopt;
    return first_of(read_blocks(tx, "WHERE block_height = $1 AND block_time = $2::timestamptz",
                                found[0][0].as<base::Height>(), found[0][1].as<std::string>()));
}

}  // namespace

base::Task<std::optional<chain::BlockRef>> PgBlockStore::stored_block_above(base::Height height) {
    return database_.pool.following.transaction(
        [height](pqxx::work& tx) { return nearest_block(tx, "block_above", height); });
}

base::Task<std::optional<chain::BlockRef>> PgBlockStore::stored_block_below(base::Height height) {
    return database_.pool.following.transaction(
        [height](pqxx::work& tx) { return nearest_block(tx, "block_below", height); });
}

base::Task<std::optional<chain::BlockRef>> PgBlockStore::stored_block_by_hash(std::string hash) {
    return database_.pool.following.transaction([hash = std::move(hash)](pqxx::work& tx) {
        return first_of(
            read_blocks(tx, "WHERE block_hash = $1 AND " + DaysOf(tx, {hash}).have("block_time"), hash));
    });
}

base::Task<std::vector<chain::BlockRef>> PgBlockStore::newest_blocks(unsigned limit) {
    return database_.pool.following.transaction([limit](pqxx::work& tx) {
        const auto times = times_of_newest_blocks(tx, limit);
        if (!times) return std::vector<chain::BlockRef>();
        auto blocks =
            read_blocks(tx, "WHERE " + between("block_time", 2) + " ORDER BY block_height DESC LIMIT $1",
                        limit, times->since, times->until);
        std::reverse(blocks.begin(), blocks.end());
        return blocks;
    });
}

base::Task<std::vector<chain::BlockRef>> PgAccountStore::stored_blocks(base::HeightRange heights,
                                                                       unsigned limit) {
    return database_.pool.following.transaction([heights, limit](pqxx::work& tx) {
        return read_blocks(tx,
                           "WHERE block_height BETWEEN " + std::to_string(heights.from) + " AND " +
                               std::to_string(heights.to) + " ORDER BY block_height LIMIT $1",
                           limit);
    });
}

base::Task<DayWord> PgBlockStore::open_day(std::int64_t day, DayLeave leave) {
    return database_.pool.following.run([&database = database_, day, leave](pqxx::connection& connection) {
        return database.partitions.open(connection, day, leave);
    });
}

base::Task<std::vector<UnavailableHeight>> PgBlockStore::unavailable_heights(unsigned limit) {
    return database_.pool.following.transaction([limit](pqxx::work& tx) {
        const auto rows = shim::query(tx,
                                      "SELECT height, reason, detail, attempts FROM unavailable_heights "
                                      "ORDER BY next_attempt_at, height LIMIT $1",
                                      limit);
        std::vector<UnavailableHeight> heights;
        for (const auto& row : rows)
            heights.push_back({row[0].as<base::Height>(), row[1].as<std::string>(), row[2].as<std::string>(),
                               row[3].as<unsigned>()});
        return heights;
    });
}

}  // namespace receiptd::storage
