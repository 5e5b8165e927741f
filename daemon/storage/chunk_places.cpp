#include "storage/chunk_places.hpp"

#include "base/exact_json.hpp"
#include "chain/rows/copy_binary.hpp"
#include "storage/copy.hpp"

#include <cstdint>
#include <utility>

namespace receiptd::storage {

ChunkPlaces places_of_rows(const chain::RowBatch& batch, chain::Table table,
                           const std::set<std::string, std::less<>>& ids) {
    const auto& id = chain::table_spec(table).columns.front();
    auto places = nlohmann::json::array();
    for_each_row(batch, table, {id, "block_height", "shard_id", "index_in_chunk"}, [&](const RowFields& row) {
        if (!row[0] || !row[1] || !row[2] || !ids.contains(*row[0])) return;
        nlohmann::json place{{id, *row[0]},
                             {"block_height", chain::big_endian<std::int64_t>(*row[1])},
                             {"shard_id", chain::big_endian<std::int64_t>(*row[2])}};
        if (row[3]) place["index_in_chunk"] = chain::big_endian<std::int32_t>(*row[3]);
        places.push_back(std::move(place));
    });
    return places.empty() ? "" : base::write_json(places);
}

std::string delete_returning_places(chain::Table table, const std::string& where) {
    const auto& spec = chain::table_spec(table);
    return std::string("WITH gone AS (DELETE FROM ") + spec.name + " WHERE " + where + " RETURNING " +
           spec.columns.front() +
           ", block_height, shard_id, index_in_chunk) "
           "SELECT coalesce(json_agg(gone)::text, '') FROM gone WHERE shard_id IS NOT NULL";
}

std::string fill_in_places(chain::Table table, const std::string& at) {
    const auto& spec = chain::table_spec(table);
    const std::string name = spec.name, id = spec.columns.front();
    return "UPDATE " + name +
           " r SET shard_id = p.shard_id, index_in_chunk = p.index_in_chunk "
           "FROM json_populate_recordset(NULL::" +
           name + ", $1::json) p WHERE r." + id + " = p." + id +
           " AND r.block_height = p.block_height AND r." + at +
           " AND (r.shard_id IS NULL OR r.shard_id = p.shard_id AND r.index_in_chunk IS NULL "
           "AND p.index_in_chunk IS NOT NULL)";
}

}  // namespace receiptd::storage
