// COPY binary as people write rows: decoded independently of chain/copy_binary, and made of texts for rows
// written by hand. A cell is the text that PostgreSQL would show.
#pragma once

#include "chain/rows/copy_binary.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::test {

using Cell = std::optional<std::string>;
using Line = std::vector<Cell>;

enum class ColumnType { text, boolean, smallint, integer, bigint, numeric, time, texts, bytes };

// By the column's name: one name has one type in all tables.
inline ColumnType type_of_column(const std::string& name) {
    static const std::map<std::string, ColumnType> types = [] {
        std::map<std::string, ColumnType> all{{"block_time", ColumnType::time},
                                              {"completed_time", ColumnType::time}};
        for (const char* column :
             {"missing", "covered", "is_promise_resume", "is_promise_yield", "handled", "expected"})
            all[column] = ColumnType::boolean;
        all["judged_by"] = ColumnType::smallint;
        all["as_given"] = ColumnType::bytes;
        for (const char* column : {"index_in_chunk", "index", "nonce_index", "chunks_included", "shard_count",
                                   "delivered", "protocol_version", "receipts", "failed_receipts"})
            all[column] = ColumnType::integer;
        for (const char* column :
             {"block_height", "prev_height", "timestamp_nanosec", "shard_id", "target_shard_id",
              "height_created", "height_included", "gas_used", "gas_limit", "gas_burnt", "encoded_length",
              "included_height", "completed_height", "settled_height"})
            all[column] = ColumnType::bigint;
        for (const char* column : {"gas_price", "total_supply", "balance_burnt", "nonce", "tokens_burnt",
                                   "deposit", "amount_kept", "amount_returned", "amount_burnt", "net_deposit",
                                   "gas_refunded", "deposit_refunded", "tokens_lost"})
            all[column] = ColumnType::numeric;
        for (const char* column : {"input_data_ids", "output_data_ids", "receipt_ids", "logs", "handled_by"})
            all[column] = ColumnType::texts;
        return all;
    }();
    const auto found = types.find(name);
    return found == types.end() ? ColumnType::text : found->second;
}

class ByteReader {
public:
    explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

    std::string_view take(std::size_t size) {
        if (size > rest_.size()) throw std::runtime_error("a row ends too early");
        const auto bytes = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return bytes;
    }
    std::int64_t number(std::size_t size) {
        const auto bytes = take(size);
        std::int64_t value = (bytes[0] & 0x80) != 0 ? -1 : 0;
        for (const char c : bytes) value = value * 256 + static_cast<unsigned char>(c);
        return value;
    }
    std::optional<std::string_view> field() {
        const auto length = number(4);
        if (length < 0) return std::nullopt;
        return take(static_cast<std::size_t>(length));
    }
    bool at_end() const { return rest_.empty(); }

private:
    std::string_view rest_;
};

inline std::string numeric_text(std::string_view bytes) {
    ByteReader reader(bytes);
    const auto digits = reader.number(2);
    const auto weight = reader.number(2);
    if (reader.number(2) != 0 || reader.number(2) != 0) throw std::runtime_error("negative, or decimals");
    std::string text;
    for (std::int64_t i = 0; i < digits; ++i) {
        char four[8];
        std::snprintf(four, sizeof four, text.empty() ? "%d" : "%04d", static_cast<int>(reader.number(2)));
        text += four;
    }
    for (auto i = digits; i <= weight && digits > 0; ++i) text += "0000";
    if (!reader.at_end()) throw std::runtime_error("a numeric with more digits than it says");
    return text.empty() ? "0" : text;
}

inline std::string time_text_of(std::int64_t microseconds) {
    using namespace std::chrono;
    const auto at = sys_days(year(2000) / 1 / 1) + std::chrono::microseconds(microseconds);
    const auto day = floor<days>(at);
    const year_month_day date(day);
    const hh_mm_ss time(at - day);
    char text[64];
    std::snprintf(text, sizeof text, "%04d-%02u-%02u %02d:%02d:%02d.%06d+00", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                  static_cast<int>(time.seconds().count()), static_cast<int>(time.subseconds().count()));
    return text;
}

// {"a","b"}
inline std::string array_text(std::string_view bytes) {
    ByteReader reader(bytes);
    const bool shaped = reader.number(4) == 1 && reader.number(4) == 0 && reader.number(4) == 25;
    auto left = reader.number(4);
    if (!shaped || reader.number(4) != 1) throw std::runtime_error("no text[] of one dimension");
    std::string text = "{";
    for (; left > 0; --left) {
        if (text.size() > 1) text += ',';
        text += '"';
        const auto element = reader.field().value();
        for (const char c : element) {
            if (c == '"' || c == '\\') text += '\\';
            text += c;
        }
        text += '"';
    }
    if (!reader.at_end()) throw std::runtime_error("an array with more elements than it says");
    return text + '}';
}

inline std::string cell_text(std::string_view bytes, ColumnType type) {
    const auto number = [&](std::size_t size) {
        if (bytes.size() != size) throw std::runtime_error("a number of another size");
        ByteReader reader(bytes);
        return reader.number(size);
    };
    switch (type) {
        case ColumnType::text:
        case ColumnType::bytes: return std::string(bytes);
        case ColumnType::boolean: return number(1) != 0 ? "t" : "f";
        case ColumnType::smallint: return std::to_string(number(2));
        case ColumnType::integer: return std::to_string(number(4));
        case ColumnType::bigint: return std::to_string(number(8));
        case ColumnType::numeric: return numeric_text(bytes);
        case ColumnType::time: return time_text_of(number(8));
        case ColumnType::texts: return array_text(bytes);
    }
    return {};
}

// The rows of a table of these columns.
inline std::vector<Line> read_copy(std::string_view data, const std::vector<std::string>& columns) {
    std::vector<Line> lines;
    ByteReader reader(data);
    while (!reader.at_end()) {
        if (reader.number(2) != static_cast<std::int64_t>(columns.size()))
            throw std::runtime_error("wrong number of columns");
        Line line;
        for (const auto& column : columns) {
            const auto bytes = reader.field();
            line.push_back(bytes ? Cell(cell_text(*bytes, type_of_column(column))) : std::nullopt);
        }
        lines.push_back(std::move(line));
    }
    return lines;
}

// "YYYY-MM-DD HH:MM:SS…" -> nanoseconds since 1970
inline std::uint64_t nanoseconds_of(const std::string& time) {
    using namespace std::chrono;
    int parts[6] = {};
    if (std::sscanf(time.c_str(), "%d-%d-%d %d:%d:%d", &parts[0], &parts[1], &parts[2], &parts[3], &parts[4],
                    &parts[5]) != 6)
        throw std::runtime_error("no time: " + time);
    const sys_days day = year(parts[0]) / month(static_cast<unsigned>(parts[1])) / static_cast<int>(parts[2]);
    const auto at = day + hours(parts[3]) + minutes(parts[4]) + seconds(parts[5]);
    return static_cast<std::uint64_t>(nanoseconds(at.time_since_epoch()).count());
}

// {a,b}: elements without quotes
inline std::vector<std::string_view> elements_of(std::string_view array) {
    std::vector<std::string_view> elements;
    array = array.substr(1, array.size() - 2);
    while (!array.empty()) {
        const auto end = std::min(array.find(','), array.size());
        elements.push_back(array.substr(0, end));
        array.remove_prefix(std::min(end + 1, array.size()));
    }
    return elements;
}

inline void write_cell(chain::CopyWriter& row, const Cell& cell, ColumnType type) {
    if (!cell) return row.null();
    switch (type) {
        case ColumnType::text: return row.text(*cell);
        case ColumnType::boolean: return row.boolean(*cell == "t");
        case ColumnType::smallint: return row.smallint(static_cast<std::int16_t>(std::stoi(*cell)));
        case ColumnType::integer: return row.integer(std::stoull(*cell));
        case ColumnType::bigint: return row.bigint(std::stoull(*cell));
        case ColumnType::numeric: return row.numeric(base::parse_u128(*cell).value());
        case ColumnType::time: return row.time(chain::RowTime(nanoseconds_of(*cell)));
        case ColumnType::texts: return row.texts(elements_of(*cell));
        case ColumnType::bytes: return row.bytes(*cell);
    }
}

inline void write_line(std::string& data, const Line& line, const std::vector<std::string>& columns) {
    chain::CopyWriter row(data);
    for (std::size_t i = 0; i < line.size(); ++i) write_cell(row, line[i], type_of_column(columns.at(i)));
    row.end_row();
}

}  // namespace receiptd::test
