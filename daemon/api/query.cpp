#include "api/query.hpp"

#include "chain/wire/account_id.hpp"
#include "storage/watch_store.hpp"
#include "watch/reference.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace receiptd::api {

namespace {

constexpr std::size_t kLongestShown = 80;

// Digits of exactly that many characters; -1: something else.
int digits(std::string_view text, std::size_t from, std::size_t count) {
    int value = 0;
    if (text.size() < from + count) return -1;
    for (const char c : text.substr(from, count)) {
        if (c < '0' || c > '9') return -1;
        value = value * 10 + (c - '0');
    }
    return value;
}

// Seconds east of UTC.
std::optional<int> parse_offset(std::string_view text) {
    if (text == "Z" || text == "z") return 0;
    if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return std::nullopt;
    const int hours = digits(text, 1, 2);
    const int minutes = digits(text, 4, 2);
    if (hours < 0 || hours > 14 || minutes < 0 || minutes >= 60) return std::nullopt;
    return (text[0] == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
}

}  // namespace

std::string shown(std::string_view text) {
    if (text.size() <= kLongestShown) return '"' + std::string(text) + '"';
    return '"' + std::string(text.substr(0, kLongestShown)) + "…\"";
}

bool is_printable(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

std::optional<std::chrono::sys_seconds> parse_time(std::string_view text) {
    constexpr std::string_view kShape = "0000-00-00T00:00:00";
    if (text.size() <= kShape.size()) return std::nullopt;
    for (const std::size_t mark : {4U, 7U, 10U, 13U, 16U})
        if (text[mark] != kShape[mark]) return std::nullopt;
    const int year = digits(text, 0, 4);
    const std::chrono::year_month_day day{std::chrono::year(year),
                                          std::chrono::month(static_cast<unsigned>(digits(text, 5, 2))),
                                          std::chrono::day(static_cast<unsigned>(digits(text, 8, 2)))};
    const int hour = digits(text, 11, 2);
    const int minute = digits(text, 14, 2);
    const int second = digits(text, 17, 2);
    if (year < 1 || !day.ok() || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 ||
        second > 59)
        return std::nullopt;
    text.remove_prefix(kShape.size());
    if (text.front() == '.') {
        const auto end = std::min(text.find_first_not_of("0123456789", 1), text.size());
        if (end < 2 || end > 10) return std::nullopt;
        text.remove_prefix(end);
    }
    const auto offset = parse_offset(text);
    if (!offset) return std::nullopt;
    return std::chrono::sys_days(day) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
           std::chrono::seconds(second - *offset);
}

bool is_time(std::string_view text) { return parse_time(text).has_value(); }

std::optional<std::int64_t> parse_number(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size() || number < 0)
        return std::nullopt;
    return number;
}

Problem missing(std::string parameter, std::string detail) {
    Problem problem;
    problem.status = 422;
    problem.detail = std::move(detail);
    problem.parameter = std::move(parameter);
    return problem;
}

std::optional<Problem> no_short_time(const std::string& since, const std::string& until, std::string detail) {
    constexpr std::chrono::hours kDay{24};
    const auto from = parse_time(since);
    const auto to = parse_time(until);
    if (from && to && *to - *from <= kDay) return std::nullopt;
    return missing(!from ? "since" : "until", std::move(detail));
}

Problem no_hash(std::string_view segment) {
    Problem problem;
    problem.status = 404;
    problem.detail =
        shown(segment) + " is no hash: base58 of 32 bytes is wanted" + std::string(watch::what_else(segment));
    return problem;
}

Query::Query(const net::ServerRequest& request, std::initializer_list<std::string_view> known) {
    auto given = request.query_parameters();
    if (!given) {
        fault_.emplace().detail = "the query has a broken %-escape";
        return;
    }
    given_ = std::move(*given);
    for (auto it = given_.begin(); it != given_.end(); ++it) {
        if (std::find(known.begin(), known.end(), it->name) == known.end()) {
            std::string names;
            for (const auto name : known) names.append(names.empty() ? "" : ", ").append(name);
            refuse(it->name, "no such parameter here; there are: " + (names.empty() ? "none" : names));
        } else if (std::any_of(given_.begin(), it,
                               [&](const auto& other) { return other.name == it->name; })) {
            refuse(it->name, "is given twice");
        } else if (it->value.empty() || !is_printable(it->value)) {
            refuse(it->name, "must be printable ASCII, and not empty");
        }
    }
}

std::string Query::text(std::string_view name) const {
    const auto found =
        std::find_if(given_.begin(), given_.end(), [&](const auto& each) { return each.name == name; });
    return found == given_.end() ? std::string() : found->value;
}

std::string Query::hash(std::string_view name) {
    auto value = text(name);
    if (!value.empty() && !storage::is_transaction_hash(value))
        refuse(name, "must be a hash: base58 of 32 bytes");
    return value;
}

std::string Query::account(std::string_view name) {
    auto value = text(name);
    if (!value.empty() && !chain::is_valid_account_id(value)) refuse(name, "must be an account id");
    return value;
}

std::string Query::time(std::string_view name) {
    auto value = text(name);
    if (!value.empty() && !is_time(value))
        refuse(name, "must be a time such as 2026-01-31T12:00:00Z (a + is written %2B)");
    return value;
}

std::optional<bool> Query::flag(std::string_view name) {
    const auto value = text(name);
    if (value.empty()) return std::nullopt;
    if (value != "true" && value != "false") refuse(name, "must be true or false");
    return value == "true";
}

std::optional<std::int64_t> Query::number(std::string_view name) {
    const auto value = text(name);
    if (value.empty()) return std::nullopt;
    const auto parsed = parse_number(value);
    if (!parsed) refuse(name, "must be a whole number");
    return parsed;
}

unsigned Query::limit(unsigned most) {
    const auto given = number("limit");
    if (!given) return kDefaultLimit;
    if (*given >= 1 && *given <= most) return static_cast<unsigned>(*given);
    refuse("limit", "must be from 1 to " + std::to_string(most));
    return kDefaultLimit;
}

std::string Query::time_cursor(bool (*is_cursor)(const std::string&)) {
    auto cursor = text("cursor");
    const auto time = std::string_view(cursor).substr(0, cursor.find(','));
    if (!cursor.empty() && !(is_cursor(cursor) && is_time(time)))
        refuse("cursor", "must be the next_cursor of an answer");
    return cursor;
}

bool Query::wants_csv() {
    const auto format = text("format");
    if (!format.empty() && format != "json" && format != "csv") refuse("format", "must be json or csv");
    if (format == "csv" && !text("limit").empty()) refuse("limit", "is for pages of JSON");
    return format == "csv";
}

void Query::refuse(std::string_view name, std::string detail) {
    if (fault_) return;
    fault_.emplace();
    fault_->parameter = name;
    fault_->detail = shown(name) + " " + std::move(detail);
}

}  // namespace receiptd::api
