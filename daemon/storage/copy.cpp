#include "storage/copy.hpp"

#include "storage/disown.hpp"

#include "chain/rows/copy_binary.hpp"
#include "storage/errors.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

namespace receiptd::storage {
namespace {

constexpr std::size_t kMessage = 32 << 10;  // stays in the caches of both sides: 3 % less CPU than 512 KiB
constexpr std::uint64_t kNanosecondsPerDay = 86'400ull * 1'000'000'000;
constexpr std::int64_t kMicrosecondsTo2000 = std::int64_t{10'957} * 86'400 * 1'000'000;  // since 1970

std::string command_for(const chain::TableSpec& table) {
    std::string columns;
    for (const auto& column : table.columns)
        columns.append(columns.empty() ? "" : ",").append('"' + column + '"');
    return std::string("COPY ") + table.name + " (" + columns + ") FROM STDIN (FORMAT binary)";
}

// False: the server has ended the COPY.
bool put(shim::BinaryCopy& copy, std::string_view rows) {
    for (std::size_t from = 0; from < rows.size(); from += kMessage)
        if (!copy.put(rows.substr(from, kMessage))) return false;
    return true;
}

template <class Pieces>
void copy_table(pqxx::transaction_base& tx, chain::Table table, const Pieces& pieces) {
    shim::BinaryCopy copy(tx, command_for(chain::table_spec(table)));
    copy.put(chain::copy_header());
    for (const std::string_view piece : pieces)
        if (!put(copy, piece)) break;
    copy.put(chain::copy_trailer());
    copy.complete();
}

// Where the columns stand in a row of the table.
std::vector<std::size_t> places_of(chain::Table table, const std::vector<std::string_view>& columns) {
    const auto& all = chain::table_spec(table).columns;
    std::vector<std::size_t> places;
    for (const auto column : columns)
        places.push_back(static_cast<std::size_t>(std::find(all.begin(), all.end(), column) - all.begin()));
    return places;
}

std::vector<std::int64_t> times_in_rows(const chain::RowBatch& batch, chain::Table table) {
    std::vector<std::int64_t> times;
    for_each_row(batch, table, {"block_time"},
                 [&times](const RowFields& row) { times.push_back(microseconds_in(row[0])); });
    return times;
}

void add_days(std::set<std::int64_t>& days, const chain::RowBatch& batch, chain::Table table) {
    for (const auto time : times_in_rows(batch, table))
        days.insert(std::chrono::floor<std::chrono::days>(std::chrono::microseconds(time)).count());
}

// Marks findings among those just copied that somebody expects.
void mark_expected(pqxx::transaction_base& tx, const chain::RowBatch& batch) {
    const auto ids = ids_of_rows(batch, chain::Table::findings);
    if (ids.empty()) return;
    const auto times = times_of_rows(batch, chain::Table::findings);
    shim::query(tx, "SELECT mark_expected($1::text[], " + time_parameter(2) + ", " + time_parameter(3) + ")",
                text_array(ids), times.since, times.until);
}

}  // namespace

void for_each_row(const chain::RowBatch& batch, chain::Table table,
                  const std::vector<std::string_view>& columns,
                  const std::function<void(const RowFields&)>& take) {
    const auto places = places_of(table, columns);
    RowFields fields(columns.size());
    for (const auto& piece : batch[table].pieces) {
        chain::CopyReader reader(piece);
        while (reader.next_row()) {
            for (std::size_t i = 0; i < reader.fields(); ++i) {
                const auto value = reader.field();
                const auto wanted = std::find(places.begin(), places.end(), i);
                if (wanted != places.end()) fields[static_cast<std::size_t>(wanted - places.begin())] = value;
            }
            take(fields);
        }
    }
}

std::int64_t microseconds_in(const std::optional<std::string_view>& time) {
    if (!time || time->size() != sizeof(std::int64_t)) throw StorageError("a row has no readable time");
    return chain::big_endian<std::int64_t>(*time) + kMicrosecondsTo2000;
}

TimeSpan times_of_rows(const chain::RowBatch& batch, chain::Table table) {
    const auto times = times_in_rows(batch, table);
    const auto [first, last] = std::minmax_element(times.begin(), times.end());
    return {*first, *last};
}

void copy_rows(pqxx::transaction_base& tx, const chain::RowBatch& batch) {
    for (std::size_t i = 0; i < chain::kTableCount; ++i)
        if (batch.tables[i].bytes() > 0) copy_table(tx, static_cast<chain::Table>(i), batch.tables[i].pieces);
    mark_expected(tx, batch);
    disown(tx, batch.disowned);
}

void copy_some(pqxx::transaction_base& tx, chain::Table table, std::span<const std::string_view> rows) {
    copy_table(tx, table, rows);
}

std::vector<std::string> ids_of_rows(const chain::RowBatch& batch, chain::Table table) {
    std::vector<std::string> ids;
    for_each_row(batch, table, {chain::table_spec(table).columns.front()},
                 [&ids](const RowFields& row) { ids.emplace_back(row[0].value_or("")); });
    return ids;
}

std::string around_blocks(int parameter, std::chrono::seconds margin) {
    return "block_time BETWEEN " + time_of_nanoseconds(parameter, -margin) + " AND " +
           time_of_nanoseconds(parameter + 1, margin) + " ";
}

void forget_decided(pqxx::transaction_base& tx, const chain::RowBatch& batch, const std::string& rows_by_id,
                    const std::vector<std::string>& ids) {
    if (ids.empty()) return;
    const auto& blocks = batch.facts.blocks;
    shim::query(
        tx, "DELETE FROM " + rows_by_id + " = ANY ($1::text[]) AND " + around_blocks(2, std::chrono::days(7)),
        text_array(ids), blocks.front().timestamp_nanosec, blocks.back().timestamp_nanosec);
}

void leave_out(chain::RowBatch& batch, chain::Table table, std::string_view column,
               const std::set<std::string, std::less<>>& ids) {
    if (ids.empty()) return;
    const auto place = places_of(table, {column}).front();
    auto& rows = batch[table];
    for (auto& piece : rows.pieces) {
        std::string kept;
        chain::CopyReader reader(piece);
        for (auto from = reader.rest(); reader.next_row(); from = reader.rest()) {
            bool is_out = false;
            for (std::size_t i = 0; i < reader.fields(); ++i) {
                const auto value = reader.field();
                is_out = is_out || (i == place && value && ids.contains(*value));
            }
            const auto row = from.substr(0, from.size() - reader.rest().size());
            if (is_out)
                --rows.rows;
            else
                kept += row;
        }
        piece = std::move(kept);
    }
}

std::set<std::int64_t> days_of_rows(const chain::RowBatch& batch) {
    std::set<std::int64_t> days;
    for (std::size_t i = 0; i < chain::kTableCount; ++i) add_days(days, batch, static_cast<chain::Table>(i));
    return days;
}

std::set<std::int64_t> days_of_blocks(const chain::RowBatch& batch) {
    std::set<std::int64_t> days;
    for (const auto& block : batch.facts.blocks)
        days.insert(static_cast<std::int64_t>(block.timestamp_nanosec / kNanosecondsPerDay));
    // Trees that are decided now began earlier.
    add_days(days, batch, chain::Table::transaction_results);
    add_days(days, batch, chain::Table::findings);
    return days;
}

}  // namespace receiptd::storage
