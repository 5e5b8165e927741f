// Lists as JSON, made off the event loop.
#pragma once

#include "api/database_calls.hpp"
#include "api/problem.hpp"
#include "base/offload.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace receiptd::api {

// `name` outlives the call.
template <class Row>
base::Task<net::ServerReply> list_reply(base::asio::thread_pool& cpu, std::string_view name,
                                        std::vector<Row> rows, std::string (*to_json)(const Row&),
                                        std::optional<std::string> next_cursor, std::string coverage = {}) {
    auto write = [name, rows = std::move(rows), to_json, next = std::move(next_cursor),
                  coverage = std::move(coverage)] {
        std::vector<std::string> items;
        items.reserve(rows.size());
        for (const auto& row : rows) items.push_back(to_json(row));
        return json_reply(200, list_json(name, items, next, coverage));
    };
    return base::offload(cpu, std::move(write));
}

// Bytes of JSON after which a page ends.
inline constexpr std::size_t kPageBytes = 2 << 20;

namespace detail {

template <class Row>
struct Page {
    std::string_view name;
    unsigned limit = 0;
    std::string (*to_json)(const Row&) = nullptr;
    std::string (*cursor_after)(const Row&) = nullptr;
    std::string coverage = {};  // JSON; empty: such a list tells none

    net::ServerReply reply(const std::vector<Row>& rows) const {
        std::vector<std::string> items;
        std::optional<std::string> next;
        std::size_t bytes = 0;
        for (const auto& row : rows) {
            if (items.size() == limit || bytes >= kPageBytes) {
                next = cursor_after(rows[items.size() - 1]);
                break;
            }
            items.push_back(to_json(row));
            bytes += items.back().size();
        }
        return json_reply(200, list_json(name, items, next, coverage));
    }
};

template <class Row>
base::Task<net::ServerReply> write_page(base::asio::thread_pool& cpu, Page<Row> page,
                                        base::Task<std::vector<Row>> listing,
                                        std::shared_ptr<bool> answered) {
    auto rows = co_await std::move(listing);
    *answered = true;
    auto write = [page = std::move(page), rows = std::move(rows)] { return page.reply(rows); };
    co_return co_await base::offload(cpu, std::move(write));
}

}  // namespace detail

// One page of a long list: at most `limit` rows, and no more than make kPageBytes, but one at least.
// `listing` was asked for one row more. Its rows are in memory until they are written, so the call counts up
// to there.
template <class Row>
base::Task<net::ServerReply> page_reply(DatabaseCalls calls, base::asio::thread_pool& cpu,
                                        std::string_view name, base::Task<std::vector<Row>> listing,
                                        unsigned limit, std::string (*to_json)(const Row&),
                                        std::string (*cursor_after)(const Row&), std::string coverage = {}) {
    auto answered = std::make_shared<bool>(false);
    detail::Page<Row> page{name, limit, to_json, cursor_after, std::move(coverage)};
    auto writing = calls.start(detail::write_page(cpu, std::move(page), std::move(listing), answered));
    co_return co_await calls.wait_for(std::move(writing), std::move(answered));
}

}  // namespace receiptd::api
