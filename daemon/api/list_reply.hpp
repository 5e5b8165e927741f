// A page of a list: up to a thousand rows become JSON off the event loop.
#pragma once

#include "api/problem.hpp"
#include "base/offload.hpp"

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
                                        std::optional<std::string> next_cursor) {
    auto write = [name, rows = std::move(rows), to_json, next = std::move(next_cursor)] {
        std::vector<std::string> items;
        items.reserve(rows.size());
        for (const auto& row : rows) items.push_back(to_json(row));
        return json_reply(200, list_json(name, items, next));
    };
    return base::offload(cpu, std::move(write));
}

}  // namespace receiptd::api
