// Reads rows back, independently of chain/copy_binary: what PostgreSQL would store.
#pragma once

#include "chain/rows/rows.hpp"
#include "support/copy_cells.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::chain::testing {

using test::Cell;
using test::Line;

// A text[] whose elements are all quoted.
inline std::vector<std::string> read_array(const Cell& cell) {
    std::vector<std::string> elements;
    if (!cell) return elements;
    bool quoted = false;
    for (std::size_t i = 0; i < cell->size(); ++i) {
        const char c = (*cell)[i];
        if (c == '"') {
            quoted = !quoted;
            if (quoted) elements.emplace_back();
        } else if (quoted) {
            elements.back() += c == '\\' ? cell->at(++i) : c;
        }
    }
    return elements;
}

// A row by column name.
struct Row {
    std::map<std::string, Cell> cells;
    const Cell& operator[](const std::string& column) const { return cells.at(column); }
};

inline std::vector<Row> read_rows(const RowBatch& batch, Table table) {
    const auto& columns = table_spec(table).columns;
    std::vector<Row> rows;
    for (const auto& piece : batch[table].pieces) {
        for (const auto& line : test::read_copy(piece, columns)) {
            Row row;
            for (std::size_t i = 0; i < columns.size(); ++i) row.cells[columns[i]] = line[i];
            rows.push_back(std::move(row));
        }
    }
    if (rows.size() != batch[table].rows) throw std::runtime_error("wrong row count");
    return rows;
}

inline const Row& row_with(const std::vector<Row>& rows, const std::string& column,
                           const std::string& value) {
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const Row& candidate) { return candidate[column] == value; });
    if (row == rows.end()) throw std::runtime_error("no row with " + column + " " + value);
    return *row;
}

}  // namespace receiptd::chain::testing
