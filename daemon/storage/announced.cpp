// What stored rows announce and do not hold.
#include "storage/adoption.hpp"
#include "storage/sql.hpp"

namespace receiptd::storage::sql {

std::vector<std::string> announced_below(pqxx::connection& connection, base::Height height) {
    pqxx::work tx(connection);
    const auto rows = shim::query(
        tx,
        "WITH span AS (SELECT min(block_time) AS since, max(block_time) AS until FROM blocks "
        "  WHERE block_height BETWEEN $1 AND $2), "
        "announced AS (SELECT unnest(receipt_ids || output_data_ids) AS id FROM receipts "
        "  WHERE block_height BETWEEN $1 AND $2 "
        "    AND block_time BETWEEN (SELECT since FROM span) AND (SELECT until FROM span) "
        "  UNION ALL SELECT initial_receipt_id FROM transactions WHERE initial_receipt_id IS NOT NULL "
        "    AND block_height BETWEEN $1 AND $2 "
        "    AND block_time BETWEEN (SELECT since FROM span) AND (SELECT until FROM span)) "
        "SELECT id FROM announced EXCEPT SELECT receipt_id FROM receipts "
        "  WHERE block_time BETWEEN (SELECT since FROM span) AND (SELECT until FROM span)",
        height > kLineageWindow ? height - kLineageWindow : 0, height > 0 ? height - 1 : 0);
    std::vector<std::string> ids;
    for (const auto& row : rows) ids.push_back(row[0].as<std::string>());
    return ids;
}

}  // namespace receiptd::storage::sql
