// Rows written by hand, as chain/rows writes them.
#pragma once

#include "chain/rows/rows.hpp"
#include "storage/tree_store.hpp"
#include "support/copy_cells.hpp"

#include <cstdio>
#include <string>
#include <vector>

namespace receiptd::test {

using chain::RowBatch;
using chain::Table;

inline constexpr std::uint64_t kFirstTime = 1'666'137'600ull * 1'000'000'000;  // 2022-10-19 00:00:00 UTC

// One block a second.
inline std::string time_text(base::Height height) {
    const auto seconds = (height % 1000);
    char text[40];
    std::snprintf(text, sizeof text, "2022-10-19 00:%02u:%02u.000000+00",
                  static_cast<unsigned>(seconds / 60 % 60), static_cast<unsigned>(seconds % 60));
    return text;
}

inline const std::string kNull = "\\N";
inline std::string or_null(const std::string& text) { return text.empty() ? kNull : text; }

// The last columns may be left out: they are NULL.
inline void add_line(RowBatch& batch, Table table, const std::vector<std::string>& fields) {
    const auto& columns = chain::table_spec(table).columns;
    Line line;
    for (const auto& field : fields) line.push_back(field == kNull ? Cell() : Cell(field));
    line.resize(columns.size());
    write_line(batch[table].piece(), line, columns);
    ++batch[table].rows;
}

inline RowBatch block_batch(base::Height height, base::Height prev_height = 0) {
    RowBatch batch;
    if (prev_height == 0) prev_height = height - 1;
    const auto h = std::to_string(height);
    const auto nanoseconds = kFirstTime + height % 1000 * 1'000'000'000;
    batch.facts.blocks.push_back(
        {height, "hash" + h, "hash" + std::to_string(prev_height), prev_height, nanoseconds});
    batch.facts.covered.add(height);
    for (auto skipped = prev_height + 1; skipped < height; ++skipped) batch.facts.covered.add(skipped);
    add_line(
        batch, Table::blocks,
        {h, "hash" + h, "hash" + std::to_string(prev_height), std::to_string(prev_height), time_text(height),
         std::to_string(nanoseconds), "node.near", "epoch", "1", "1", "100000000", "1000", "83"});
    return batch;
}

struct TransactionRow {
    std::string tx_hash = {};
    std::string initial_receipt_id = {};
    std::string signer_id = "alice.near";
    std::string shard_id = "0";
    std::string index_in_chunk = "0";
};

inline void add_transaction(RowBatch& batch, const TransactionRow& row) {
    const auto height = batch.facts.blocks.back().height;
    const bool known = !row.initial_receipt_id.empty();
    add_line(batch, Table::transactions,
             {row.tx_hash, row.tx_hash, std::to_string(height), time_text(height), or_null(row.shard_id),
              or_null(row.index_in_chunk), row.signer_id, "bob.near", "7", "ed25519:key",
              "[\"CreateAccount\"]", known ? "success_receipt_id" : kNull, or_null(row.initial_receipt_id),
              kNull, kNull, known ? "100" : kNull, known ? "5" : kNull, kNull});
}

struct ReceiptRow {
    std::string receipt_id = {};
    std::string tree_id = {};
    std::string tx_hash = {};  // empty: unknown
    std::string parent = {};   // empty: none or unknown
    std::string role = "detached";
    std::string children = {};  // "{a,b}"
    std::string predecessor_id = "alice.near";
    std::string receiver_id = "bob.near";
    std::string status = "success_value";
    std::string actions = "[\"CreateAccount\"]";
    std::string input_data_ids = {};
    std::string output_data_ids = {};
    std::string error_class = {};
    std::string event = {};  // name of an event it logs
    bool orphan = false;
    std::string signer_id = "alice.near";
    std::string result = {};
    std::string shard_id = "0";
    std::string index_in_chunk = "0";
};

inline void add_receipt(RowBatch& batch, base::Height height, const ReceiptRow& row) {
    const auto h = std::to_string(height);
    add_line(batch, Table::receipts,
             {row.receipt_id,
              row.tree_id,
              h,
              time_text(height),
              or_null(row.shard_id),
              or_null(row.index_in_chunk),
              or_null(row.tx_hash),
              or_null(row.parent),
              row.predecessor_id,
              row.receiver_id,
              row.signer_id,
              or_null(row.role),
              "run",
              row.actions,
              "0",
              or_null(row.input_data_ids),
              or_null(row.output_data_ids),
              or_null(row.children),
              row.status,
              or_null(row.result),
              or_null(row.error_class),
              or_null(row.error_class),
              kNull,
              "10",
              "1",
              kNull,
              kNull,
              kNull});
    if (!row.event.empty())
        add_line(batch, Table::events,
                 {row.receipt_id, row.tree_id, or_null(row.tx_hash), h, time_text(height), "0",
                  row.receiver_id, "nep141", "1.0.0", row.event, "{\"amount\":\"1\"}"});
    if (row.orphan)
        add_line(batch, Table::orphan_receipts,
                 {"receipt", row.receipt_id, row.tree_id == row.receipt_id ? kNull : row.tree_id, h,
                  time_text(height)});
}

inline void add_data(RowBatch& batch, const std::string& data_id, const std::string& tree_id,
                     const std::string& tx_hash, bool orphan) {
    const auto height = batch.facts.blocks.back().height;
    const auto h = std::to_string(height);
    add_line(batch, Table::data_receipts,
             {data_id, "r" + data_id, tree_id, or_null(tx_hash), h, time_text(height), "0", "bob.near",
              "alice.near", "f", "dHJ1ZQ=="});
    if (orphan) add_line(batch, Table::orphan_receipts, {"data", data_id, tree_id, h, time_text(height)});
}

inline void add_pending(RowBatch& batch, const std::string& tx_hash) {
    const auto& block = batch.facts.blocks.back();
    add_line(batch, Table::pending_trees,
             {tx_hash, "alice.near", std::to_string(block.height), block.hash, time_text(block.height),
              std::to_string(block.timestamp_nanosec), "3"});
}
// The same, as it is told to a store.
inline storage::PendingTree pending_tree(const std::string& tx_hash, base::Height height) {
    storage::PendingTree tree;
    tree.tx_hash = tx_hash;
    tree.included_in = block_batch(height).facts.blocks.back();
    return tree;
}

// A block with a transaction and its receipt, which emits an event.
inline RowBatch full_batch(base::Height height) {
    auto batch = block_batch(height);
    const auto h = std::to_string(height);
    add_transaction(batch, {"tx" + h, "r" + h});
    add_receipt(batch, height,
                {"r" + h, "tx" + h, "tx" + h, "", "initial", "{}", "alice.near", "token.near",
                 "success_value", "[]", "", "", "", "ft_transfer"});
    return batch;
}

}  // namespace receiptd::test
