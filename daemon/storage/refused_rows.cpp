#include "storage/refused_rows.hpp"

#include "chain/rows/copy_binary.hpp"
#include "storage/copy.hpp"
#include "storage/set_aside.hpp"

#include <optional>
#include <set>
#include <span>
#include <string_view>

namespace receiptd::storage {
namespace {

using Rows = std::span<const std::string_view>;
constexpr std::string_view kStoredAlready = "23505";

std::vector<std::string_view> rows_of(const chain::TableRows& table) {
    std::vector<std::string_view> rows;
    for (const std::string_view piece : table.pieces) {
        chain::CopyReader reader(piece);
        for (auto from = reader.rest(); reader.next_row(); from = reader.rest()) {
            for (std::size_t i = 0; i < reader.fields(); ++i) reader.field();
            rows.push_back(from.substr(0, from.size() - reader.rest().size()));
        }
    }
    return rows;
}

std::string id_of(std::string_view row) {
    chain::CopyReader reader(row);
    reader.next_row();
    return std::string(reader.field().value_or(""));
}

// Tried, and taken back again.
std::optional<Refusal> try_rows(pqxx::transaction_base& tx, chain::Table table, Rows rows) {
    tx.exec("SAVEPOINT before_rows");
    std::optional<Refusal> refusal;
    try {
        copy_some(tx, table, rows);
    } catch (const std::exception& error) {
        if (!is_of_the_rows(error)) throw;
        refusal.emplace(error);
    }
    tx.exec("ROLLBACK TO SAVEPOINT before_rows");
    return refusal;
}

}  // namespace

std::vector<RefusedRow> take_out_refused(pqxx::connection& connection, chain::RowBatch& batch) {
    pqxx::work tx(connection);
    const auto height = std::to_string(batch.facts.blocks.front().height);
    std::vector<RefusedRow> refused;
    for (std::size_t i = 0; i < chain::kTableCount; ++i) {
        const auto table = static_cast<chain::Table>(i);
        if (table == chain::Table::blocks || table == chain::Table::chunks) continue;
        const auto rows = rows_of(batch.tables[i]);
        std::set<const char*> out;
        const auto leave = [&](std::string_view row, const Refusal& why) {
            if (why.sqlstate == kStoredAlready) return;  // the commit replaces it
            out.insert(row.data());
            refused.push_back({height + " " + chain::table_spec(table).name + " " + id_of(row), why.reason});
        };
        by_halves(
            Rows(rows), [&](Rows some) { return try_rows(tx, table, some); }, leave);
        if (out.empty()) continue;
        std::string kept;
        for (const auto row : rows)
            if (!out.contains(row.data())) kept += row;
        batch.tables[i].pieces = {std::move(kept)};
        batch.tables[i].rows = rows.size() - out.size();
    }
    return refused;
}

}  // namespace receiptd::storage
