// Lists as CSV (RFC 4180), written while the client takes it, so that a long one needs no more memory than a
// short one.
#pragma once

#include "api/query.hpp"
#include "api/services.hpp"
#include "base/offload.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace receiptd::api {

inline constexpr unsigned kMostCsvRows = 100'000;
inline constexpr unsigned kRowsAtOnce = 200;

// A part of a list. There may be no rows, and more behind them.
template <class Row>
struct ListPart {
    std::vector<Row> rows;
    std::string next_cursor;  // empty: this is the end
};

// The rows behind a cursor, at most so many.
template <class Row>
using ReadPart = std::function<base::Task<ListPart<Row>>(std::string cursor, unsigned limit)>;

// The names of an object's members as the first line. Their values make a line: objects and arrays as JSON,
// amounts with all their digits, null as nothing. A text that a spreadsheet would take for a formula begins
// with a quote (').
std::string csv_head(const std::string& object);
std::string csv_line(const std::string& object);

// The head of the answer. The body follows in pieces.
net::ServerReply csv_reply_head(std::string_view name);
net::ServerReply too_many_csv();

template <class Row>
class CsvReader {
public:
    CsvReader(SharedContext context, ReadPart<Row> read, std::string (*to_json)(const Row&),
              std::string cursor)
        : context_(std::move(context)),
          seat_(context_->shared->csv_seats),
          read_(std::move(read)),
          to_json_(to_json),
          cursor_(std::move(cursor)),
          kept_(csv_head(to_json(Row()))) {}

    // Before the answer begins, so that what goes wrong at once is told by its status.
    base::Task<void> read_first() {
        auto first = co_await next_lines();
        kept_ += first;
    }
    // Empty: the end.
    base::Task<std::string> next() {
        if (!kept_.empty()) co_return std::exchange(kept_, {});
        co_return co_await next_lines();
    }

private:
    base::Task<std::string> next_lines() {
        std::string lines;
        while (lines.empty() && !ended_) {
            auto reading = read_(cursor_, std::min(kRowsAtOnce, left_));
            auto part = co_await context_->calls.wait_for(std::move(reading));
            left_ -= static_cast<unsigned>(part.rows.size());
            cursor_ = std::move(part.next_cursor);
            ended_ = cursor_.empty() || left_ == 0;
            auto writing = write(std::move(part.rows));
            lines = co_await std::move(writing);
        }
        co_return lines;
    }
    base::Task<std::string> write(std::vector<Row> rows) {
        auto make = [rows = std::move(rows), to_json = to_json_] {
            std::string lines;
            for (const auto& row : rows) lines += csv_line(to_json(row));
            return lines;
        };
        return base::offload(context_->services.cpu, std::move(make));
    }

    SharedContext context_;
    Shared::CsvSeat seat_;
    ReadPart<Row> read_;
    std::string (*to_json_)(const Row&);
    std::string cursor_;
    std::string kept_;  // made, not sent yet
    unsigned left_ = kMostCsvRows;
    bool ended_ = false;
};

namespace detail {

template <class Row>
base::Task<std::string> next_csv_piece(std::shared_ptr<CsvReader<Row>> reader) {
    co_return co_await reader->next();
}

}  // namespace detail

// `cursor`: the rows behind it.
template <class Row>
base::Task<net::ServerReply> csv_reply(SharedContext context, std::string_view name, ReadPart<Row> read,
                                       std::string (*to_json)(const Row&), std::string cursor) {
    if (context->shared->csv_seats.taken >= Shared::kCsvAtOnce) co_return too_many_csv();
    auto reader =
        std::make_shared<CsvReader<Row>>(std::move(context), std::move(read), to_json, std::move(cursor));
    co_await reader->read_first();
    auto reply = csv_reply_head(name);
    reply.next_piece = [reader] { return detail::next_csv_piece(reader); };
    co_return reply;
}

// A part of a list whose rows are cursors: one row more tells whether there are more.
template <class Row>
base::Task<ListPart<Row>> part_of(base::Task<std::vector<Row>> rows, unsigned limit,
                                  std::string (*cursor_after)(const Row&)) {
    ListPart<Row> part;
    part.rows = co_await std::move(rows);
    if (part.rows.size() > limit) {
        part.rows.resize(limit);
        part.next_cursor = cursor_after(part.rows.back());
    }
    co_return part;
}

// The same by a filter that has a cursor and a limit.
template <class Row, class Filter>
base::Task<net::ServerReply> csv_list(SharedContext context, std::string_view name, Filter filter,
                                      std::function<base::Task<std::vector<Row>>(Filter)> list,
                                      std::string (*to_json)(const Row&),
                                      std::string (*cursor_after)(const Row&)) {
    auto cursor = filter.cursor;
    ReadPart<Row> read = [filter = std::move(filter), list = std::move(list), cursor_after](std::string from,
                                                                                            unsigned limit) {
        auto part = filter;
        part.cursor = std::move(from);
        part.limit = limit + 1;
        return part_of(list(std::move(part)), limit, cursor_after);
    };
    return csv_reply(std::move(context), name, std::move(read), to_json, std::move(cursor));
}

}  // namespace receiptd::api
