// Trees as the tables have them, to be judged.
#pragma once

#include "chain/receipt_graph.hpp"
#include "storage/pqxx_shim.hpp"
#include "storage/watch_store.hpp"

#include <map>
#include <string>
#include <vector>

namespace receiptd::storage::sql {

// Timestamps between which all rows of the trees lie, as PostgreSQL writes them: what keeps other
// partitions out.
struct TreeTimes {
    std::string since;
    std::string until;
};

// By tx_hash: what judging needs. Of deposits and delegations nothing is told; a receipt whose block is
// unknown has no place.
std::map<std::string, StoredTree> load_trees(pqxx::transaction_base& tx,
                                             const std::vector<std::string>& trees, const TreeTimes& times);

chain::ReceiptGraph graph_of(const std::string& tx_hash, const StoredTree& tree);

}  // namespace receiptd::storage::sql
