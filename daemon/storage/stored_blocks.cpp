#include "storage/sql.hpp"

namespace receiptd::storage::sql {
namespace {

template <class Parameter>
std::optional<chain::BlockRef> one_block(pqxx::connection& connection, const char* condition,
                                         const Parameter& parameter) {
    pqxx::work tx(connection);
    const auto rows = shim::query(tx,
                                  std::string("SELECT block_height, block_hash, prev_hash, prev_height, "
                                              "timestamp_nanosec FROM blocks WHERE ") +
                                      condition,
                                  parameter);
    if (rows.empty()) return std::nullopt;
    const auto row = rows[0];
    chain::BlockRef block;
    block.height = row[0].template as<base::Height>();
    block.hash = row[1].template as<std::string>();
    block.prev_hash = row[2].template as<std::string>();
    if (!row[3].is_null()) block.prev_height = row[3].template as<base::Height>();
    block.timestamp_nanosec = row[4].template as<std::uint64_t>();
    return block;
}

}  // namespace

std::optional<chain::BlockRef> stored_block(pqxx::connection& connection, base::Height height) {
    return one_block(connection, "block_height = $1", height);
}

std::optional<chain::BlockRef> stored_block_above(pqxx::connection& connection, base::Height height) {
    return one_block(connection, "block_height > $1 ORDER BY block_height LIMIT 1", height);
}

std::optional<chain::BlockRef> stored_block_below(pqxx::connection& connection, base::Height height) {
    return one_block(connection, "block_height < $1 ORDER BY block_height DESC LIMIT 1", height);
}

std::optional<chain::BlockRef> stored_block_by_hash(pqxx::connection& connection, const std::string& hash) {
    return one_block(connection, "block_hash = $1", hash);
}

}  // namespace receiptd::storage::sql
