#include "storage/copy.hpp"

#include "storage/store.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace receiptd::storage {
namespace {

constexpr std::size_t kPiece = 512 << 10;  // larger pieces gain nothing
constexpr std::uint64_t kNanosecondsPerDay = 86'400ull * 1'000'000'000;

// Calls use(piece) with whole lines of about kPiece bytes, without the last line end.
template <class Use>
void for_each_piece(const std::string& text, Use use) {
    for (std::size_t from = 0; from < text.size();) {
        auto end = text.size();
        if (end - from > kPiece) {
            end = text.rfind('\n', from + kPiece);
            if (end == std::string::npos || end <= from) end = text.find('\n', from);
            end = end == std::string::npos ? text.size() : end + 1;
        }
        const auto length = end - from - (text[end - 1] == '\n' ? 1 : 0);
        use(text.substr(from, length));
        from = end;
    }
}

void copy_table(pqxx::transaction_base& tx, chain::Table table, const chain::TableRows& rows) {
    if (rows.copy_text.empty()) return;
    const auto& spec = chain::table_spec(table);
    auto stream = shim::open_copy(tx, spec.name, spec.columns);
    for_each_piece(rows.copy_text, [&](const std::string& piece) { shim::write_copy_lines(stream, piece); });
    stream.complete();
}

std::int64_t day_of(std::string_view time) {
    int year = 0;
    unsigned month = 0;
    unsigned day = 0;
    const bool shaped = time.size() >= 10 && time[4] == '-' && time[7] == '-';
    const auto number = [&](std::size_t at, std::size_t length, auto& value) {
        const auto* end = time.data() + at + length;
        return std::from_chars(time.data() + at, end, value).ptr == end;
    };
    if (!shaped || !number(0, 4, year) || !number(5, 2, month) || !number(8, 2, day))
        throw StorageError("a row has no readable block_time");
    const std::chrono::sys_days date =
        std::chrono::year(year) / std::chrono::month(month) / std::chrono::day(day);
    return date.time_since_epoch().count();
}

std::string_view field(std::string_view line, std::size_t index) {
    for (; index > 0; --index) {
        const auto tab = line.find('\t');
        if (tab == std::string_view::npos) return {};
        line.remove_prefix(tab + 1);
    }
    return line.substr(0, line.find('\t'));
}

}  // namespace

void copy_rows(pqxx::transaction_base& tx, const chain::RowBatch& batch) {
    for (std::size_t i = 0; i < chain::kTableCount; ++i)
        copy_table(tx, static_cast<chain::Table>(i), batch.tables[i]);
}

std::set<std::int64_t> days_of_rows(const chain::RowBatch& batch) {
    std::set<std::int64_t> days;
    for (std::size_t i = 0; i < chain::kTableCount; ++i) {
        const auto& columns = chain::table_spec(static_cast<chain::Table>(i)).columns;
        const auto column = std::find(columns.begin(), columns.end(), "block_time") - columns.begin();
        std::string_view text = batch.tables[i].copy_text;
        while (!text.empty()) {
            const auto end = std::min(text.find('\n'), text.size());
            days.insert(day_of(field(text.substr(0, end), static_cast<std::size_t>(column))));
            text.remove_prefix(std::min(end + 1, text.size()));
        }
    }
    return days;
}

std::set<std::int64_t> days_of_blocks(const chain::RowBatch& batch) {
    std::set<std::int64_t> days;
    for (const auto& block : batch.blocks)
        days.insert(static_cast<std::int64_t>(block.timestamp_nanosec / kNanosecondsPerDay));
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
