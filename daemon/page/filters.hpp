// What the views of lists share: the filters of an address, and a list fifty rows at a time.
#pragma once

#include "api/query.hpp"
#include "page/texts.hpp"
#include "page/views.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace receiptd::page {

inline constexpr unsigned kListed = 50;

// Filters of an address. One that cannot be read must not become a list of all rows.
class Filters {
public:
    explicit Filters(const api::Call& call);

    // Empty: not given, or refused.
    std::string text(std::string_view name, std::string_view must, std::size_t most = 128);
    std::string account(std::string_view name);
    std::optional<bool> flag(std::string_view name);
    std::optional<std::int64_t> number(std::string_view name);  // from 1 on
    unsigned hours(unsigned otherwise, unsigned most);
    // One of few words, as `parse` reads it.
    template <class Parse>
    auto one_of(std::string_view name, std::string_view must, Parse&& parse) {
        const auto value = text(name, must);
        auto chosen = parse(value);
        if (!chosen && !value.empty()) refuse(name, must);
        return chosen;
    }
    template <class Parse>
    std::string cursor(Parse&& parse) {
        constexpr std::string_view kMust = "it must come from a link below a list";
        auto value = text("cursor", kMust, 512);
        if (value.empty() || parse(value)) return value;
        refuse("cursor", kMust);
        return {};
    }

    // A sentence; empty: all could be read.
    const std::string& fault() const { return fault_; }

private:
    void refuse(std::string_view name, std::string_view must);

    const api::Call& call_;
    std::string fault_;
};

template <class Rows, class Values>
Json list_of(const Rows& rows, Values&& values) {
    Json list = Json::array();
    for (const auto& row : rows) list.push_back(values(row));
    return list;
}

// One row more than is shown tells whether there are more; "" if there are not.
template <class Rows, class Cursor>
std::string next_cursor(Rows& rows, Cursor&& cursor) {
    if (rows.size() <= kListed) return {};
    rows.resize(kListed);
    return url_encoded(cursor(rows.back()));
}

// The view with the fault in place of its list.
base::Task<net::ServerReply> unlisted(SharedSite site, Frame frame, std::string_view name, Json values,
                                      std::string fault);

}  // namespace receiptd::page
