#include "storage/stored_graph.hpp"

namespace receiptd::storage {

chain::ReceiptGraph graph_of(const std::string& tx_hash, const StoredTree& tree) {
    chain::ReceiptGraph graph(tx_hash);
    if (tree.transaction) graph.add(*tree.transaction);
    for (const auto& receipt : tree.receipts) graph.add(receipt);
    for (const auto& outcome : tree.outcomes) graph.add(outcome);
    for (const auto& data : tree.data) graph.add(data);
    return graph;
}

}  // namespace receiptd::storage
