#include "storage/copy.hpp"

#include "chain/rows/copy_binary.hpp"
#include "storage/store.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

namespace receiptd::storage {
namespace {

constexpr std::size_t kPiece = 512 << 10;  // larger pieces gain nothing
constexpr std::uint64_t kNanosecondsPerDay = 86'400ull * 1'000'000'000;
constexpr std::int64_t kDaysTo2000 = 10'957;  // since 1970

using Answer = std::unique_ptr<PGresult, void (*)(PGresult*)>;

[[noreturn]] void throw_failure(PGconn* connection, const PGresult* answer, const std::string& command) {
    const char* code = answer == nullptr ? nullptr : PQresultErrorField(answer, PG_DIAG_SQLSTATE);
    const std::string sqlstate = code == nullptr ? "" : code;
    const std::string text = answer == nullptr ? PQerrorMessage(connection) : PQresultErrorMessage(answer);
    if (sqlstate.empty()) throw pqxx::broken_connection(text);
    if (sqlstate == "23505") throw pqxx::unique_violation(text, command, sqlstate.c_str());
    throw pqxx::sql_error(text, command, sqlstate.c_str());
}

// One COPY. Its errors are those of any statement of the transaction: what the server says, or that the
// connection is lost.
class BinaryCopy {
public:
    BinaryCopy(pqxx::transaction_base& tx, const chain::TableSpec& table)
        : connection_(shim::raw_connection(tx)), command_(command_for(table)) {
        tx.exec(command_);
        put(chain::copy_header());
    }

    // False: the server has ended the COPY already; complete() knows why.
    bool put(std::string_view bytes) {
        return PQputCopyData(connection_, bytes.data(), static_cast<int>(bytes.size())) == 1;
    }

    void complete() {
        put(chain::copy_trailer());
        PQputCopyEnd(connection_, nullptr);
        Answer failure(nullptr, &PQclear);
        bool answered = false;
        while (auto* next = PQgetResult(connection_)) {
            Answer answer(next, &PQclear);
            answered = true;
            if (PQresultStatus(next) != PGRES_COMMAND_OK && !failure) failure = std::move(answer);
            if (PQresultStatus(next) == PGRES_COPY_IN) break;  // it cannot be ended
        }
        if (failure || !answered) throw_failure(connection_, failure.get(), command_);
    }

private:
    static std::string command_for(const chain::TableSpec& table) {
        std::string columns;
        for (const auto& column : table.columns)
            columns.append(columns.empty() ? "" : ",").append('"' + column + '"');
        return std::string("COPY ") + table.name + " (" + columns + ") FROM STDIN (FORMAT binary)";
    }

    PGconn* connection_;
    std::string command_;
};

void copy_table(pqxx::transaction_base& tx, chain::Table table, const chain::TableRows& rows) {
    if (rows.copy_data.empty()) return;
    BinaryCopy copy(tx, chain::table_spec(table));
    const std::string_view data = rows.copy_data;
    for (std::size_t from = 0; from < data.size(); from += kPiece)
        if (!copy.put(data.substr(from, kPiece))) break;
    copy.complete();
}

std::int64_t day_of(std::optional<std::string_view> time) {
    if (!time || time->size() != sizeof(std::int64_t)) throw StorageError("a row has no readable block_time");
    const auto microseconds = chain::big_endian<std::int64_t>(*time);
    const std::chrono::microseconds since_2000(microseconds);
    return kDaysTo2000 + std::chrono::floor<std::chrono::days>(since_2000).count();
}

// The field of a row's column; the rest of the row is passed over.
std::optional<std::string_view> field(chain::CopyReader& reader, std::size_t column) {
    std::optional<std::string_view> found;
    for (std::size_t i = 0; i < reader.fields(); ++i) {
        const auto value = reader.field();
        if (i == column) found = value;
    }
    return found;
}

void add_days(std::set<std::int64_t>& days, const chain::RowBatch& batch, chain::Table table) {
    const auto& columns = chain::table_spec(table).columns;
    const auto column = std::find(columns.begin(), columns.end(), "block_time") - columns.begin();
    chain::CopyReader reader(batch[table].copy_data);
    while (reader.next_row()) days.insert(day_of(field(reader, static_cast<std::size_t>(column))));
}

}  // namespace

void copy_rows(pqxx::transaction_base& tx, const chain::RowBatch& batch) {
    for (std::size_t i = 0; i < chain::kTableCount; ++i)
        copy_table(tx, static_cast<chain::Table>(i), batch.tables[i]);
}

std::vector<std::string> ids_of_rows(const chain::RowBatch& batch, chain::Table table) {
    std::vector<std::string> ids;
    chain::CopyReader reader(batch[table].copy_data);
    while (reader.next_row()) ids.emplace_back(field(reader, 0).value_or(""));
    return ids;
}

std::set<std::int64_t> days_of_rows(const chain::RowBatch& batch) {
    std::set<std::int64_t> days;
    for (std::size_t i = 0; i < chain::kTableCount; ++i) add_days(days, batch, static_cast<chain::Table>(i));
    return days;
}

std::set<std::int64_t> days_of_blocks(const chain::RowBatch& batch) {
    std::set<std::int64_t> days;
    for (const auto& block : batch.blocks)
        days.insert(static_cast<std::int64_t>(block.timestamp_nanosec / kNanosecondsPerDay));
    // What is decided now began earlier.
    add_days(days, batch, chain::Table::transaction_results);
    add_days(days, batch, chain::Table::findings);
    return days;
}

std::string text_array(const std::vector<std::string>& values) {
    std::string text = "{";
    for (const auto& value : values) {
        if (text.size() > 1) text += ',';
        text += '"';
        for (const char c : value) {
            if (c == '"' || c == '\\') text += '\\';
            text += c;
        }
        text += '"';
    }
    return text + '}';
}

}  // namespace receiptd::storage
