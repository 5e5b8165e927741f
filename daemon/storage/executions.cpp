#include "storage/executions.hpp"

#include "storage/copy.hpp"
#include "storage/sql_time.hpp"

#include <chrono>
#include <set>

namespace receiptd::storage {
namespace {

// More blocks than any chain makes in seven days.
constexpr base::Height kWeek = 2'000'000;

const std::string kBeforeBatch = "BETWEEN " + time_of_nanoseconds(1, -std::chrono::days(7)) + " AND " +
                                 time_of_nanoseconds(2, std::chrono::seconds(1));

std::set<std::string> trees_in(const chain::RowBatch& batch) {
    std::set<std::string> trees;
    for (const auto table : {chain::Table::transactions, chain::Table::receipts, chain::Table::data_receipts,
                             chain::Table::transaction_results, chain::Table::findings})
        for_each_row(batch, table, {"tree_id"},
                     [&trees](const RowFields& row) { trees.emplace(row[0].value_or("")); });
    return trees;
}

void give_names(pqxx::transaction_base& tx, const std::vector<std::string>& tx_hashes, bool apart) {
    if (tx_hashes.empty()) return;
    shim::query(tx, "SELECT name_executions($1::text[], $2)", text_array(tx_hashes), apart);
}

}  // namespace

std::vector<std::string> executed_again_around(pqxx::transaction_base& tx, base::HeightRange heights) {
    return texts_of(
        shim::query(tx, "SELECT DISTINCT tx_hash FROM executions WHERE block_height BETWEEN $1 AND $2",
                    heights.from > kWeek ? heights.from - kWeek : 0, heights.to + kWeek));
}

std::vector<std::string> executed_again_before(pqxx::transaction_base& tx, const chain::RowBatch& batch) {
    if (batch.facts.blocks.empty()) return {};
    return texts_of(shim::query(
        tx, "SELECT DISTINCT tx_hash FROM executions WHERE block_time " + kBeforeBatch,
        batch.facts.blocks.front().timestamp_nanosec, batch.facts.blocks.back().timestamp_nanosec));
}

std::vector<std::string> executed_again_in(pqxx::transaction_base& tx, const chain::RowBatch& batch) {
    auto hashes = executed_again_before(tx, batch);
    // Data of such blocks may belong to any tree.
    if (hashes.empty() || batch[chain::Table::receipts].rows == 0) return hashes;
    const auto trees = trees_in(batch);
    std::erase_if(hashes, [&](const auto& hash) { return !trees.contains(hash); });
    return hashes;
}

void find_executions(pqxx::transaction_base& tx, const std::vector<std::string>& tx_hashes,
                     const TreeTimes& times) {
    if (tx_hashes.empty()) return;
    shim::query(tx, "SELECT find_executions($1::text[], $2::timestamptz, $3::timestamptz)",
                text_array(tx_hashes), times.since, times.until);
}

void find_executions(pqxx::transaction_base& tx, const chain::RowBatch& batch) {
    if (batch[chain::Table::transactions].rows == 0 || batch.facts.blocks.empty()) return;
    shim::query(tx,
                "SELECT find_executions($3::text[], " + time_of_nanoseconds(1, std::chrono::seconds(-1)) +
                    ", " + time_of_nanoseconds(2, std::chrono::seconds(1)) + ")",
                batch.facts.blocks.front().timestamp_nanosec, batch.facts.blocks.back().timestamp_nanosec,
                text_array(ids_of_rows(batch, chain::Table::transactions)));
}

void gather_executions(pqxx::transaction_base& tx, const std::vector<std::string>& tx_hashes) {
    give_names(tx, tx_hashes, false);
}

void name_executions(pqxx::transaction_base& tx, const std::vector<std::string>& tx_hashes) {
    give_names(tx, tx_hashes, true);
}

void forget_executions_at(pqxx::transaction_base& tx, base::Height height) {
    shim::query(tx,
                "WITH gone AS (DELETE FROM executions WHERE block_height = $1 RETURNING tx_hash) "
                "DELETE FROM executions e USING gone WHERE e.tx_hash = gone.tx_hash AND e.block_height <> $1 "
                "  AND (SELECT count(*) FROM executions x WHERE x.tx_hash = gone.tx_hash) = 2",
                height);
}

}  // namespace receiptd::storage
