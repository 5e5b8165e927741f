// A height that the database refused twice is stored without the rows that it refuses.
#pragma once

#include "chain/rows/rows.hpp"
#include "storage/pqxx_shim.hpp"

#include <string>
#include <vector>

namespace receiptd::storage {

struct RefusedRow {
    std::string id;  // the height, the table, and the row's id
    std::string reason;
};

// Takes the rows out of a batch of one height that the database refuses by themselves; writes nothing. Rows
// of the block itself and of its chunks stay: without them there is no height.
std::vector<RefusedRow> take_out_refused(pqxx::connection& connection, chain::RowBatch& batch);

}  // namespace receiptd::storage
