#include "storage/inspect.hpp"

#include "metrics/registry.hpp"
#include "storage/session.hpp"

#include <utility>

namespace receiptd::storage {
namespace {

// A session of its own for one question; it gives up soon when the database is not there.
template <class Work>
auto ask(DatabaseOptions options, Work work) {
    if (!options.patience) options.patience = std::chrono::milliseconds(0);
    metrics::Registry registry;
    metrics::StorageSeries series(registry);
    SessionContext context(options, series);
    Session session(context);
    return session.run(std::move(work));
}

template <class T>
std::optional<T> optional_field(const pqxx::field& field) {
    if (field.is_null()) return std::nullopt;
    return field.as<T>();
}

std::string text_field(const pqxx::field& field) {
    return field.is_null() ? std::string() : field.as<std::string>();
}

StoredSummary summary(pqxx::connection& connection) {
    pqxx::work tx(connection);
    StoredSummary found;
    const auto identity = shim::query(tx, "SELECT network, scope FROM chain_identity");
    if (!identity.empty()) {
        found.network = identity[0][0].as<std::string>();
        found.scope = identity[0][1].as<std::string>();
    }
    const auto extent = shim::query(
        tx,
        "SELECT lower(range_merge(heights)), upper(range_merge(heights)) - 1, "
        "(SELECT coalesce(sum(upper(r) - lower(r)), 0) FROM unnest(heights) r), "
        "(SELECT coalesce(sum(upper(r) - lower(r)), 0) FROM unnest(wanted - heights) r) FROM coverage");
    for (const auto& row : extent) {
        found.first_height = optional_field<std::uint64_t>(row[0]);
        found.last_height = optional_field<std::uint64_t>(row[1]);
        found.covered_heights += row[2].as<std::uint64_t>();
        found.gap_heights += row[3].as<std::uint64_t>();
    }
    for (const auto& row :
         shim::query(tx, "SELECT from_height, to_height, reason, detail FROM gaps LIMIT 20"))
        found.gaps.push_back({row[0].as<std::uint64_t>(), row[1].as<std::uint64_t>(),
                              row[2].as<std::string>(), text_field(row[3])});
    const auto backfills = shim::query(
        tx,
        "SELECT from_height, to_height, (SELECT coalesce(sum(upper(r) - lower(r)), 0) FROM unnest("
        "int8multirange(int8range(from_height, to_height, '[]')) - (SELECT range_agg(one) FROM coverage, "
        "unnest(heights) one)) r), lease_until > now() FROM backfills WHERE state = 'unfinished' ORDER BY "
        "id");
    for (const auto& row : backfills)
        found.unfinished_backfills.push_back({row[0].as<std::uint64_t>(), row[1].as<std::uint64_t>(),
                                              row[2].is_null() ? 0 : row[2].as<std::uint64_t>(),
                                              !row[3].is_null() && row[3].as<bool>()});
    const auto sizes =
        shim::query(tx,
                    "SELECT (SELECT count(*) FROM pending_trees), (SELECT count(*) FROM partitions), "
                    "pg_database_size(current_database()), (SELECT max(block_time)::text FROM blocks)");
    found.pending_trees = sizes[0][0].as<std::uint64_t>();
    found.partitions = sizes[0][1].as<std::uint64_t>();
    found.database_bytes = sizes[0][2].as<std::uint64_t>();
    found.last_block_time = text_field(sizes[0][3]);
    return found;
}

chain::TreeNode node_of(const pqxx::row& row) {
    chain::TreeNode node;
    node.receipt_id = row["id"].as<std::string>();
    node.parent_receipt_id = text_field(row["parent_receipt_id"]);
    node.role = text_field(row["role"]);
    if (node.role == "unknown") node.role.clear();
    node.predecessor_id = text_field(row["predecessor_id"]);
    node.receiver_id = text_field(row["receiver_id"]);
    node.method_name = text_field(row["method_name"]);
    node.status = text_field(row["status"]);
    node.error_class = text_field(row["error_class"]);
    node.error_text = text_field(row["error_text"]);
    node.block_height = optional_field<std::uint64_t>(row["block_height"]);
    if (!row["gas_burnt"].is_null()) node.gas_burnt = row["gas_burnt"].as<std::uint64_t>();
    return node;
}

std::optional<chain::TreeView> tree(pqxx::connection& connection, const std::string& tx_hash) {
    pqxx::work tx(connection);
    const auto rows = shim::query(tx, "SELECT * FROM receipt_tree($1)", tx_hash);
    if (rows.empty()) return std::nullopt;
    chain::TreeView view;
    view.tx_hash = tx_hash;
    for (const auto& row : rows) {
        auto node = node_of(row);
        if (node.role != "transaction") {
            view.receipts.push_back(std::move(node));
            continue;
        }
        view.tx_hash = node.receipt_id;
        view.signer_id = node.predecessor_id;
        view.receiver_id = node.receiver_id;
        view.block_height = node.block_height;
        view.status = node.status == "unknown" ? std::string() : node.status;
        view.error_class = node.error_class;
        view.error_text = node.error_text;
    }
    return view;
}

}  // namespace

StoredSummary stored_summary(const DatabaseOptions& database) { return ask(database, summary); }

std::optional<chain::TreeView> stored_tree(const DatabaseOptions& database, const std::string& tx_hash) {
    return ask(database, [&](pqxx::connection& connection) { return tree(connection, tx_hash); });
}

}  // namespace receiptd::storage
