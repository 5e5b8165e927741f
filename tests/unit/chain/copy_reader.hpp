// Reads COPY text back, independently of chain/copy_text: what PostgreSQL would store.
#pragma once

#include "chain/rows.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::chain::testing {

using Cell = std::optional<std::string>;
using Line = std::vector<Cell>;

inline Cell unescape_cell(const std::string& raw) {
    if (raw == "\\N") return std::nullopt;
    std::string value;
    for (std::size_t i = 0; i < raw.size(); ++i) {
        if (raw[i] != '\\') {
            value += raw[i];
            continue;
        }
        const char c = raw.at(++i);
        value += c == 't' ? '\t' : c == 'n' ? '\n' : c == 'r' ? '\r' : c;
    }
    return value;
}

inline std::vector<Line> read_copy(const std::string& text) {
    std::vector<Line> lines;
    Line line;
    std::string cell;
    for (const char c : text) {
        if (c != '\t' && c != '\n') {
            cell += c;
            continue;
        }
        line.push_back(unescape_cell(cell));
        cell.clear();
        if (c == '\n') lines.push_back(std::exchange(line, {}));
    }
    if (!cell.empty() || !line.empty()) throw std::runtime_error("the last line has no end");
    return lines;
}

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
    for (const auto& line : read_copy(batch[table].copy_text)) {
        if (line.size() != columns.size()) throw std::runtime_error("wrong number of columns");
        Row row;
        for (std::size_t i = 0; i < columns.size(); ++i) row.cells[columns[i]] = line[i];
        rows.push_back(std::move(row));
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
